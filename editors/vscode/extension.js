// Starts `isocost lsp` and hands it to the editor. Plain JavaScript: nothing is built.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const command = vscode.workspace.getConfiguration("isocost").get("command");
  const [program, ...args] = command;
  client = new LanguageClient(
    "isocost",
    "Isocost",
    { command: program, args },
    { documentSelector: [{ language: "isocost" }] },
  );
  return client.start().catch((error) => {
    vscode.window.showErrorMessage(
      `Isocost: ${program} does not start (${error.message}). ` +
        "Install it with pip install 'isocost[lsp]', or set isocost.command.",
    );
  });
}

function deactivate() {
  return client === undefined ? undefined : client.stop();
}

module.exports = { activate, deactivate };
