/* What a function does, as bytes (kir.h). What it declares is a number: how many names are declared around
 * it. Names of what is declared elsewhere (macros, functions) are text, as those of fields are. */
#include <string.h>

#include "../../../base/vec.h"
#include "kir.h"

typedef struct Content {
    Text *to;
    KirTell *tell;
    void *ctx;
    VEC(const char *) names; /* declared, the last ones at the end */
} Content;

static void put_number(Content *c, int64_t v)
{
    char small = (char)v;
    if (v >= 0 && v < 127) {
        text_addn(c->to, &small, 1);
    } else {
        text_addn(c->to, "\177", 1);
        text_addn(c->to, (const char *)&v, sizeof v);
    }
}

static void put_text(Content *c, const char *s)
{
    text_addn(c->to, s ? s : "", s ? strlen(s) + 1 : 1);
}

static void put_name(Content *c, const char *name)
{
    for (size_t i = name ? c->names.len : 0; i-- > 0;) {
        if (c->names.data[i] != name && strcmp(c->names.data[i], name) != 0) continue;
        put_number(c, (int64_t)i + 1);
        return;
    }
    put_number(c, 0);
    put_text(c, name);
    if (name && c->tell) c->tell(c->ctx, c->to, name);
}

static void put_type(Content *c, KirType t)
{
    put_number(c, t.kind);
    put_number(c, t.lanes);
    if (t.kind != KIR_RECORD) return;
    put_number(c, t.record->nfields);
    for (int i = 0; i < t.record->nfields; i++) {
        put_type(c, t.record->types[i]);
        put_text(c, t.record->names[i]);
    }
}

static void put_expr(Content *c, const KirExpr *e)
{
    put_number(c, e ? e->kind + 1 : 0);
    if (!e) return;
    put_type(c, e->type);
    put_number(c, e->value.i);
    put_number(c, e->op);
    put_number(c, e->intrinsic);
    if (e->kind == KIR_SWIZZLE || e->kind == KIR_MEMBER)
        put_text(c, e->name);
    else
        put_name(c, e->name);
    put_number(c, e->nargs);
    for (int i = 0; i < e->nargs; i++) put_expr(c, e->args[i]);
}

static void put_block(Content *c, const KirStmt *s);

static void put_statement(Content *c, const KirStmt *s)
{
    put_number(c, s->kind + 1);
    put_type(c, s->type);
    put_number(c, s->local | s->unroll << 1 | s->writable << 2 | s->stream << 3 | s->rare << 4);
    put_name(c, s->of);
    put_number(c, s->ndims);
    for (int i = 0; i < s->ndims; i++) put_expr(c, s->dims[i]);
    const KirExpr *const values[] = {s->target, s->expr, s->lo, s->hi, s->step};
    for (int i = 0; i < 5; i++) put_expr(c, values[i]);
    size_t outside = c->names.len;
    if (s->kind == KIR_DECL || s->kind == KIR_PLANE || s->kind == KIR_FOR)
        vec_push(&c->names, s->name);
    else
        put_name(c, s->name);
    put_block(c, s->body);
    put_block(c, s->other);
    if (s->kind == KIR_FOR) c->names.len = outside;
}

static void put_block(Content *c, const KirStmt *s)
{
    size_t outside = c->names.len;
    for (; s; s = s->next) put_statement(c, s);
    put_number(c, 0);
    c->names.len = outside;
}

void kir_content(Text *to, const KirFunc *f, KirTell *tell, void *ctx)
{
    Content c = {.to = to, .tell = tell, .ctx = ctx};
    put_number(&c, f->kernel);
    put_type(&c, f->result);
    put_number(&c, f->nparams);
    for (int i = 0; i < f->nparams; i++) {
        const KirParam *p = &f->params[i];
        put_type(&c, p->type);
        put_number(&c, p->buffer | p->planes << 1 | p->writable << 2 | p->alone << 3);
        vec_push(&c.names, p->name);
    }
    put_block(&c, f->body);
    vec_free(&c.names);
}
