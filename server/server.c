/* The loop, what is open, and the table of requests. A text is analysed when a message needs it, so
 * that fast typing does not wait: diagnostics go out once no more input is there. */
#include "server.h"

#include <poll.h>
#include <string.h>

#include "features/features.h"
#include "transport.h"

typedef struct Server {
    FILE *in, *out;
    Workspace workspace;
    Documents changed; /* their diagnostics are to be told */
    bool ended;        /* `exit` came, or the input ended */
    bool asked;        /* to shut down */
} Server;

enum { /* codes of errors in JSON-RPC and the protocol */
       ERROR_PARSE = -32700,
       ERROR_REQUEST = -32600,
       ERROR_METHOD = -32601,
       ERROR_FAILED = -32803
};

/* ---- messages ------------------------------------------------------------------------------- */

static void send(Server *s, json_t *message)
{
    if (message) json_object_set_new(message, "jsonrpc", json_string("2.0"));
    if (!message || !transport_write(s->out, message)) s->ended = true;
}

static void answer(Server *s, const json_t *id, json_t *result)
{
    send(s, json_pack("{s:O, s:o}", "id", id, "result", result));
}

static void refuse(Server *s, const json_t *id, int code, const char *why)
{
    send(s, json_pack("{s:O?, s:{s:i, s:s}}", "id", id, "error", "code", code, "message", why));
}

/* ---- documents ------------------------------------------------------------------------------ */

static Document *find(const Server *s, const json_t *params)
{
    const char *uri =
        json_string_value(json_object_get(json_object_get(params, "textDocument"), "uri"));
    for (size_t i = 0; uri && i < s->workspace.open.len; i++)
        if (strcmp(s->workspace.open.data[i]->uri, uri) == 0) return s->workspace.open.data[i];
    return NULL;
}

static void note_change(Server *s, Document *d)
{
    for (size_t i = 0; i < s->changed.len; i++)
        if (s->changed.data[i] == d) return;
    vec_push(&s->changed, d);
}

static void publish(Server *s, const char *uri, json_t *list)
{
    send(s, json_pack("{s:s, s:{s:s, s:o}}", "method", "textDocument/publishDiagnostics", "params",
                      "uri", uri, "diagnostics", list));
}

static void publish_changed(Server *s)
{
    for (size_t i = 0; i < s->changed.len; i++) {
        Document *d = s->changed.data[i];
        publish(s, d->uri, feature_diagnostics(d, workspace_analyse(&s->workspace, d)));
    }
    s->changed.len = 0;
}

static void forget(Server *s, Document *d)
{
    for (size_t i = 0; i < s->changed.len; i++)
        if (s->changed.data[i] == d) s->changed.data[i--] = s->changed.data[--s->changed.len];
    for (size_t i = 0; i < s->workspace.open.len; i++)
        if (s->workspace.open.data[i] == d)
            s->workspace.open.data[i--] = s->workspace.open.data[--s->workspace.open.len];
    document_close(d);
}

/* ---- notifications -------------------------------------------------------------------------- */

/* Those that are open and read this file are to be told anew. */
static void note_users(Server *s, const Document *changed)
{
    for (size_t i = 0; i < s->workspace.open.len; i++) {
        Document *d = s->workspace.open.data[i];
        if (d == changed || !d->now || !sources_is_loaded(d->now->sources, changed->real)) continue;
        document_forget(d);
        note_change(s, d);
    }
}

static void did_open(Server *s, const json_t *params)
{
    const json_t *item = json_object_get(params, "textDocument"),
                 *text = json_object_get(item, "text");
    const char *uri = json_string_value(json_object_get(item, "uri"));
    if (!uri || !json_is_string(text)) return;
    Document *d = find(s, params);
    if (d) forget(s, d);
    d = document_open(uri, json_string_value(text), json_string_length(text));
    vec_push(&s->workspace.open, d);
    note_change(s, d);
    note_users(s, d);
}

static void did_change(Server *s, const json_t *params)
{
    Document *d = find(s, params);
    const json_t *changes = json_object_get(params, "contentChanges");
    for (size_t i = 0; d && i < json_array_size(changes); i++)
        document_change(d, json_array_get(changes, i));
    if (d) note_change(s, d);
    if (d) note_users(s, d);
}

static void did_close(Server *s, const json_t *params)
{
    Document *d = find(s, params);
    if (!d) return;
    publish(s, d->uri, json_array());
    note_users(s, d); /* what it holds is on the disk again */
    forget(s, d);
}

/* A module may have changed: texts that are open may read it. */
static void did_save(Server *s, const json_t *params)
{
    (void)params;
    for (size_t i = 0; i < s->workspace.open.len; i++) {
        Document *d = s->workspace.open.data[i];
        Text same = {0};
        text_addn(&same, d->text.data ? d->text.data : "", d->text.len);
        document_set(d, same.data ? same.data : "", same.len);
        text_free(&same);
        note_change(s, d);
    }
}

static void on_exit_message(Server *s, const json_t *params)
{
    (void)params;
    s->ended = true;
}

static const struct Notification {
    const char *method;
    void (*run)(Server *, const json_t *params);
} notifications[] = {{"textDocument/didOpen", did_open},
                     {"textDocument/didChange", did_change},
                     {"textDocument/didClose", did_close},
                     {"textDocument/didSave", did_save},
                     {"exit", on_exit_message}};

/* ---- requests ------------------------------------------------------------------------------- */

static const struct Method {
    const char *method;
    Feature *run;
    const char *capability; /* what `initialize` says of it, NULL: nothing.. */
    const char *value;      /* ..as JSON, or NULL: as says() has it */
    json_t *(*says)(void);
} methods[] = {
    {"textDocument/hover", feature_hover, "hoverProvider", "true", NULL},
    {"textDocument/definition", feature_definition, "definitionProvider", "true", NULL},
    {"textDocument/references", feature_references, "referencesProvider", "true", NULL},
    {"textDocument/documentHighlight", feature_highlight, "documentHighlightProvider", "true",
     NULL},
    {"textDocument/prepareRename", feature_prepare_rename, NULL, NULL, NULL},
    {"textDocument/rename", feature_rename, "renameProvider", "{\"prepareProvider\": true}", NULL},
    {"textDocument/completion", feature_complete, "completionProvider",
     "{\"triggerCharacters\": [\".\"]}", NULL},
    {"textDocument/signatureHelp", feature_signature, "signatureHelpProvider",
     "{\"triggerCharacters\": [\"(\", \",\"]}", NULL},
    {"textDocument/codeAction", feature_actions, "codeActionProvider",
     "{\"codeActionKinds\": [\"quickfix\"]}", NULL},
    {"textDocument/documentSymbol", feature_outline, "documentSymbolProvider", "true", NULL},
    {"workspace/symbol", feature_symbols, "workspaceSymbolProvider", "true", NULL},
    {"textDocument/semanticTokens/full", feature_semantic, "semanticTokensProvider", NULL,
     feature_semantic_legend},
    {"textDocument/foldingRange", feature_folding, "foldingRangeProvider", "true", NULL},
    {"textDocument/inlayHint", feature_hints, "inlayHintProvider", "true", NULL},
    {"textDocument/formatting", feature_format, "documentFormattingProvider", "true", NULL},
};

enum {
    METHODS = sizeof methods / sizeof *methods,
    NOTIFICATIONS = sizeof notifications / sizeof *notifications
};

static json_t *capabilities(void)
{
    json_t *all = json_pack("{s:s, s:{s:b, s:i, s:b}}", "positionEncoding", "utf-16",
                            "textDocumentSync", "openClose", 1, "change", 2, "save", 1);
    for (int i = 0; i < METHODS; i++)
        if (methods[i].capability)
            json_object_set_new(all, methods[i].capability,
                                methods[i].says
                                    ? methods[i].says()
                                    : json_loads(methods[i].value, JSON_DECODE_ANY, NULL));
    return json_pack("{s:o, s:{s:s}}", "capabilities", all, "serverInfo", "name", "csc");
}

static void run_feature(Server *s, const struct Method *m, const json_t *id, const json_t *params)
{
    Document *d = find(s, params);
    if (!d && strncmp(m->method, "workspace/", strlen("workspace/")) != 0) {
        refuse(s, id, ERROR_FAILED, "the text is not open");
        return;
    }
    Request r = {.document = d,
                 .analysis = d ? workspace_analyse(&s->workspace, d) : NULL,
                 .params = params,
                 .workspace = &s->workspace};
    const json_t *position = json_object_get(params, "position");
    if (position) r.offset = document_offset(d, position);
    json_t *result = m->run(&r);
    if (result)
        answer(s, id, result);
    else
        refuse(s, id, ERROR_FAILED, r.error ? r.error : "nothing is known here");
}

static void take_request(Server *s, const char *method, const json_t *id, const json_t *params)
{
    if (strcmp(method, "initialize") == 0) {
        workspace_begin(&s->workspace, params);
        answer(s, id, capabilities());
        return;
    }
    if (strcmp(method, "shutdown") == 0) {
        publish_changed(s);
        s->asked = true;
        answer(s, id, json_null());
        return;
    }
    if (s->asked) {
        refuse(s, id, ERROR_REQUEST, "the server was shut down");
        return;
    }
    for (int i = 0; i < METHODS; i++)
        if (strcmp(methods[i].method, method) == 0) {
            run_feature(s, &methods[i], id, params);
            return;
        }
    refuse(s, id, ERROR_METHOD, "unknown method");
}

/* Answers to what the server asked (nothing) have no method. */
static void take(Server *s, const json_t *message)
{
    const char *method = json_string_value(json_object_get(message, "method"));
    const json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
    if (!method) return;
    if (id) {
        take_request(s, method, id, params);
        return;
    }
    for (int i = 0; i < NOTIFICATIONS; i++)
        if (strcmp(notifications[i].method, method) == 0) notifications[i].run(s, params);
}

static bool more_is_there(FILE *in)
{
    struct pollfd p = {.fd = fileno(in), .events = POLLIN};
    return poll(&p, 1, 0) > 0 && (p.revents & POLLIN);
}

int server_run(FILE *in, FILE *out, const char *const *folders, size_t nfolders)
{
    Server s = {.in = in, .out = out, .workspace = {.folders = folders, .nfolders = nfolders}};
    setvbuf(in, NULL, _IONBF, 0); /* so that poll knows of all that was not read */
    while (!s.ended) {
        if (s.changed.len && !more_is_there(in)) publish_changed(&s);
        json_t *message;
        switch (transport_read(in, &message)) {
        case TRANSPORT_END: s.ended = true; break;
        case TRANSPORT_NO_JSON: refuse(&s, NULL, ERROR_PARSE, "a message that is no JSON"); break;
        case TRANSPORT_MESSAGE: take(&s, message);
        }
        json_decref(message);
    }
    while (s.workspace.open.len) forget(&s, s.workspace.open.data[0]);
    workspace_end(&s.workspace);
    vec_free(&s.changed);
    return s.asked ? 0 : 1;
}
