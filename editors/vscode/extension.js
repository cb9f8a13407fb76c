// Starts `csc lsp` for C$ files; everything else is the server's.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = function () {
    const settings = workspace.getConfiguration("csdollar");
    const folders = settings.get("modules", []).flatMap((folder) => ["-I", folder]);
    const server = { command: settings.get("compiler", "csc"), args: ["lsp", ...folders] };
    client = new LanguageClient("csdollar", "C$", server, {
        documentSelector: [{ language: "csdollar" }],
    });
    return client.start();
};

exports.deactivate = function () {
    return client ? client.stop() : undefined;
};
