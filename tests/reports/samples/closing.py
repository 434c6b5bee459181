"""The method and the appendix of the sample report."""

# ruff: noqa: E501 - mostly prose

from isocost.reports import view as v


def method() -> v.Section:
    return v.Section(
        "Method",
        (
            v.Paragraph("Each metric is one formula over named quantities; those that carry the"
                        " headline follow."),
            v.Equation(
                r"t_{\mathrm{step}} = \max\left(\frac{2 P_{\mathrm{a}} B}{\eta_c F},"
                r" \frac{W + B\,S\,k}{\eta_m \beta}\right) + t_{\mathrm{a2a}} + t_{\mathrm{host}}",
                "Decode step",
                (
                    v.Where(r"P_{\mathrm{a}}", "the active parameters", "", "37.0 G"),
                    v.Where("B", "the batch of an instance", "request"),
                    v.Where("F", "the peak", "FLOP/s"),
                    v.Where("W", "the bytes of weights read", "byte"),
                    v.Where("k", "the cache per token", "byte/token"),
                    v.Where(r"\beta", "the memory bandwidth", "byte/s"),
                    v.Where(r"\eta_m", "the share of it that is reached", "", "0.55"),
                ),
                (v.Cite("pope"), "; valid for batches up to 512."),
                "eq-step",
            ),
            v.Equation(
                r"c_{\mathrm{tok}} = \frac{K\,\mathrm{CRF}(r, n) + E + O}"
                r"{8760\,\mathrm{h}\cdot a\,s\,\ell\,T}",
                "Cost of a token",
                (
                    v.Where("K", "the capital of a chip", "$", "11 000"),
                    v.Where(r"\mathrm{CRF}", "the capital recovery factor", "1/year"),
                    v.Where(r"a\,s\,\ell", "availability, share sold and load"),
                    v.Where("T", "the throughput within the service level", "token/s"),
                ),
                v.Cite("ix"),
                "eq-cost",
            ),
            v.Equation(
                r"C_{\mathrm{net}} = \sum_{i=1}^{n_t} n_i p_i + 2 n_{\mathrm{opt}}"
                r" p_{\mathrm{opt}} + n_{\mathrm{dac}} p_{\mathrm{dac}}"
                r" + n_{\mathrm{aec}} p_{\mathrm{aec}} + n_{\mathrm{conn}} p_{\mathrm{conn}}"
                r" + \frac{P_{\mathrm{net}}\,\mathrm{PUE}\,e\,h}{1 - \delta}"
                r" + n_{\mathrm{nic}} p_{\mathrm{nic}} + m\left(C_{\mathrm{spare}} +"
                r" C_{\mathrm{labour}}\right)",
                "Network bill, broken where it is wider than the page",
                key="eq-bom",
            ),
        ),
        "method",
    )  # fmt: skip


def appendix() -> tuple[v.Section, ...]:
    names = ("trainium2.peak[bf16]", "trainium2.memory.bandwidth", "finance.price[trn2_ultra]",
             "site.electricity", "software.decode.memory_share", "finance.life[server]",
             "workload.load", "finance.cost_of_capital", "link.z.bandwidth", "site.pue",
             "fabric.tier[leaf].oversubscription", "software.host_overhead")  # fmt: skip
    values = ("667 TFLOP/s", "2.90 TB/s", "$880k", "0.07 $/kWh", "55%", "5 years", "52%", "10%",
              "64 GB/s", "1.14", "1.0", "1.6 ms")  # fmt: skip
    spans = ("", "", "$680k–1.1M", "0.05–0.09", "42–65%", "4–6", "45–60%", "8–12%", "",
             "1.08–1.20", "", "0.8–2.6")  # fmt: skip
    grades = "AADCCCCBABBD"
    inputs = v.Table(
        "Twelve inputs move the result by more than a thousandth",
        (v.Column("Input", width=0.3), v.Column("Value", align="right"),
         v.Column("90% interval", align="right"), v.Column("Grade", align="center"),
         v.Column("Source", width=0.32)),
        tuple(
            v.Row(((v.Code(a),), b, v.Cell(c or "—", tone="muted"), v.Cell(grade=g),  # type: ignore[arg-type]
                   (v.Cite("aws"), " architecture guide") if g == "A"
                   else "assumed: bottom-up, in line with two analysts" if g == "D"
                   else (v.Cite(("sa", "ix")),)), key=f"in.{a}")
            for a, b, c, g in zip(names, values, spans, grades, strict=True)
        ),
        "the scenario files, attached to this document.",
        "tab-inputs",
        ("Grades: A stated by the maker or measured, B third party, C estimate, D assumption.",),
        dense=True,
    )  # fmt: skip
    references = v.References((
        v.Reference("aws", "Trainium2 Architecture", "AWS Neuron documentation", "2025",
                    "https://awsdocs-neuron.readthedocs-hosted.com/en/latest/", "vendor", "A"),
        v.Reference("sa", "Amazon’s AI Self Sufficiency: Trainium2 Architecture & Networking",
                    "SemiAnalysis", "3 December 2024", "https://newsletter.semianalysis.com/",
                    "analyst", "B"),
        v.Reference("ix", "InferenceX price books and runs", "SemiAnalysis", "2026",
                    "https://github.com/SemiAnalysisAI/InferenceX-app", "measured", "A"),
        v.Reference("pope", "Efficiently Scaling Transformer Inference", "Pope et al.", "2022",
                    "https://arxiv.org/abs/2211.05102", "paper", "A"),
    ))  # fmt: skip
    glossary = v.Glossary((
        v.Term("TPOT", "Time per output token: last less first, over n − 1.", "ms",
               "latency.tpot[mean]"),
        v.Term("TTFT", "Time to the first token, queueing included.", "s", "latency.ttft[p50]"),
        v.Term("MBU", "Bytes that had to be read over what the memory could deliver.", "%", "mbu"),
        v.Term("CRF", "Capital recovery factor: the annuity of one dollar.", "1/year"),
        v.Term("Domain", "The chips that a scale-up network joins."),
        v.Term("Bisection", "The least bandwidth between two halves.", "GB/s", "bisection"),
    ))  # fmt: skip
    return (
        v.Section("Assumptions", (inputs,), "assumptions"),
        v.Section("Sources", (references,), "sources"),
        v.Section("Glossary", (glossary,), "glossary"),
    )
