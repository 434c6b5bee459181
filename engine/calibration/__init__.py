"""Software stacks fitted to measurements, and how their errors are measured."""
