/* What follows from facts (facts.h). A proof that a form is at most 0 takes its terms one after the
 * other and puts in their place what bounds them: the ends of a variable's range, an operand of min
 * or max, what the type holds, or a fact in which the term occurs too, so that it cancels. What has
 * been asked once is not searched for again (asked.h). */
#include <string.h>

#include "../../internal.h"
#include "../flat.h"
#include "../footprint/spans.h"

int fdi_term_kind(const FdAffine *form, int term)
{
    int kind = (int)(form->terms[term].atom->id % (FDI_TERM_KINDS / 2));
    return form->terms[term].factor > 0 ? kind : kind + FDI_TERM_KINDS / 2;
}

enum { DEEPEST = 8, FUEL = 300 };

/* How a form was tried at a depth: what it took, and what came of it. With as much fuel it is the same
 * again. A try that fuel ended fails with less, too. */
typedef struct Try {
    int16_t fuel, ended; /* 0: not tried to the end; with this much fuel it was not */
    bool shown, cut, ended_cut;
} Try;

typedef struct Tried {
    uint64_t hash;
    size_t at, len; /* its words */
    Try at_depth[DEEPEST];
} Tried;

typedef struct Proof {
    const FdFacts *facts;
    int fuel;
    bool cut; /* deeper there is more to try */
    VEC(Tried) tried;
    FdiWords words;
    uint16_t *table; /* of tried, open addressing: 0 is empty, else the number, from 1 on */
    size_t size;
} Proof;

static bool at_most_0(Proof *p, const FdAffine *a, int depth);

/* The values of an integer node's type, or of what it asks; false: it is a long. */
static bool type_range(const FdNode *n, int64_t *lo, int64_t *hi)
{
    if (!fdi_is_integer(n->type)) return false;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    ScalarKind k = n->type->scalar;
    if ((op == FD_OP_LOWER || op == FD_OP_UPPER) && n->args[0]->type->nparams) {
        const FdNode *dim = n->args[1]; /* of an array of ints they are ints */
        k = fd_is_const(dim) ? n->args[0]->type->params[dim->value.i]->scalar : k;
    }
    FdSpans all = fd_spans_of(k);
    *lo = fd_spans_hull(&all).lo;
    *hi = fd_spans_hull(&all).hi;
    return scalar_bytes(k) < 8;
}

/* Not all that there is room for: forms are short. */
static void copy_form(FdAffine *to, const FdAffine *from)
{
    to->nterms = from->nterms;
    to->constant = from->constant;
    memcpy(to->terms, from->terms, sizeof from->terms[0] * (size_t)from->nterms);
}

/* The form with one term's atom replaced by `by` (NULL: nothing) plus `more`. */
static bool with_bound(Proof *p, const FdAffine *a, int term, const FdNode *by, int64_t more,
                       int depth)
{
    bool atom = by && by->kind != FD_APPLY && !fd_is_const(by), none = !by || fd_is_const(by);
    if (depth == 0 && (atom ? a->nterms != 2 : none && a->nterms != 1)) { /* terms would be left */
        p->cut = true;
        return false;
    }
    FdAffine b;
    copy_form(&b, a);
    int64_t factor = b.terms[term].factor, k;
    b.terms[term] = b.terms[--b.nterms];
    return !__builtin_mul_overflow(factor, more, &k) &&
           !__builtin_add_overflow(b.constant, k, &b.constant) &&
           (!by || fd_affine_add(&b, by, factor)) && at_most_0(p, &b, depth);
}

/* Is s * a - t * fact a constant? */
static bool same_terms(const FdAffine *a, const FdAffine *fact, int64_t s, int64_t t)
{
    if (a->nterms != fact->nterms) return false;
    for (int i = 0; i < fact->nterms; i++) {
        int k = 0;
        int64_t x, y;
        while (k < a->nterms && a->terms[k].atom != fact->terms[i].atom) k++;
        if (k == a->nterms || __builtin_mul_overflow(a->terms[k].factor, s, &x) ||
            __builtin_mul_overflow(fact->terms[i].factor, t, &y) || x != y)
            return false;
    }
    return true;
}

static bool by_fact(Proof *p, const FdAffine *a, int term, const FdAffine *fact, int depth)
{
    int64_t mine = a->terms[term].factor, theirs = 0;
    for (int i = 0; i < fact->nterms; i++)
        if (fact->terms[i].atom == a->terms[term].atom) theirs = fact->terms[i].factor;
    if (theirs == 0 || (theirs > 0) != (mine > 0)) return false;
    int64_t s = 1, t; /* s * a - t * fact, in which the term is gone */
    if (mine % theirs == 0)
        t = mine / theirs;
    else
        s = theirs < 0 ? -theirs : theirs, t = mine < 0 ? -mine : mine;
    if (depth == 0 && !same_terms(a, fact, s, t)) { /* terms would be left */
        p->cut = true;
        return false;
    }
    FdAffine b;
    copy_form(&b, a);
    for (int i = 0; i < b.nterms && s != 1; i++)
        if (__builtin_mul_overflow(b.terms[i].factor, s, &b.terms[i].factor)) return false;
    for (int i = 0; i < fact->nterms; i++)
        if (!fdi_affine_term(&b, fact->terms[i].atom, fact->terms[i].factor, -t)) return false;
    int64_t x, y;
    return !__builtin_mul_overflow(a->constant, s, &x) &&
           !__builtin_mul_overflow(fact->constant, -t, &y) &&
           !__builtin_add_overflow(x, y, &b.constant) && at_most_0(p, &b, depth);
}

/* The last fact first. */
static bool by_facts(Proof *p, const FdAffine *a, int term, int depth)
{
    const FdFacts *f = p->facts;
    const uint64_t *having = f->having[fdi_term_kind(a, term)];
    for (size_t i = f->forms.len; i-- > FDI_INDEXED;)
        if (by_fact(p, a, term, &f->forms.data[i].form, depth)) return true;
    for (int word = FDI_INDEXED / 64; word-- > 0;) {
        size_t first = (size_t)word * 64, count = f->forms.len > first ? f->forms.len - first : 0;
        uint64_t left = having[word] & (count < 64 ? ((uint64_t)1 << count) - 1 : UINT64_MAX);
        while (left) {
            int i = 63 - __builtin_clzll(left);
            left &= ~((uint64_t)1 << i);
            if (by_fact(p, a, term, &f->forms.data[first + (size_t)i].form, depth)) return true;
        }
    }
    return false;
}

/* Of x / n, where x is two variables as one and goes through 0..m * n: m. NULL: it is something else. */
static const FdNode *quotients(const FdFacts *f, const FdNode *atom)
{
    if (atom->kind != FD_APPLY || fd_op_of(atom) != FD_OP_DIV) return NULL;
    const FdNode *x = atom->args[0], *by = atom->args[1];
    const FdDom *d = x->kind == FD_VAR ? fdi_dom_of(&f->doms, x) : NULL;
    if (!d || !fd_is_flat_var(x)) return NULL;
    if (fd_is_const(by) && fd_is_const(d->hi) && by->value.i > 0 &&
        d->hi->value.i % by->value.i == 0)
        return fd_long(f->fd, d->hi->value.i / by->value.i);
    if (d->hi->kind != FD_APPLY) return NULL;
    if (by->kind == FD_APPLY && fd_op_of(by) == FD_OP_MAX && fd_is_const(by->args[1]))
        by = by->args[0]; /* max(n, 1) */
    if (fd_op_of(d->hi) != FD_OP_MUL) return NULL;
    for (int i = 0; i < 2; i++)
        if (d->hi->args[i] == by) return d->hi->args[1 - i];
    return NULL;
}

/* Is the form at most 0 if this term is as great as what bounds it allows? */
static bool bounded(Proof *p, const FdAffine *a, int term, int depth)
{
    const FdNode *atom = a->terms[term].atom, *many = quotients(p->facts, atom);
    bool up = a->terms[term].factor > 0;
    const FdDom *d = atom->kind == FD_VAR ? fdi_dom_of(&p->facts->doms, atom) : NULL;
    if (d && d->lo && with_bound(p, a, term, up ? d->hi : d->lo, up ? -1 : 0, depth)) return true;
    if (many && with_bound(p, a, term, up ? many : NULL, up ? -1 : 0, depth)) return true;
    if (by_facts(p, a, term, depth)) return true;
    FdOp op = atom->kind == FD_APPLY && fdi_is_word(atom) ? fd_op_of(atom) : FD_OP_NONE;
    if (op == FD_OP_MIN || op == FD_OP_MAX) {
        bool first = with_bound(p, a, term, atom->args[0], 0, depth);
        if ((op == FD_OP_MIN) == up) { /* not above either: one is enough */
            if (first || with_bound(p, a, term, atom->args[1], 0, depth)) return true;
        } else if (first && with_bound(p, a, term, atom->args[1], 0, depth)) {
            return true;
        }
    }
    int64_t lo, hi;
    if (depth == 0 && a->nterms > 1 && p->cut) return false; /* nothing more to find out */
    return type_range(atom, &lo, &hi) && with_bound(p, a, term, NULL, up ? hi : lo, depth);
}

static void grow(Proof *p)
{
    size_t size = p->size ? p->size * 2 : 64;
    mem_free(p->table);
    p->table = mem_alloc(size * sizeof *p->table);
    p->size = size;
    for (size_t i = 0; i < p->tried.len; i++) {
        size_t at = p->tried.data[i].hash & (size - 1);
        while (p->table[at]) at = (at + 1) & (size - 1);
        p->table[at] = (uint16_t)(i + 1);
    }
}

/* What has been tried of the form, by its number: paths that take terms in another order lead to the
 * same forms. */
static size_t tried(Proof *p, const FdAffine *a)
{
    uint64_t words[1 + 2 * FD_AFFINE_TERMS], hash = (uint64_t)a->constant;
    size_t len = 0;
    words[len++] = hash;
    for (int i = 0; i < a->nterms; i++) {
        words[len++] = (uint64_t)(uintptr_t)a->terms[i].atom;
        words[len++] = (uint64_t)a->terms[i].factor;
        hash = (hash ^ words[len - 2]) * UINT64_C(0x9e3779b97f4a7c15) + words[len - 1];
    }
    hash ^= hash >> 32;
    if (p->tried.len * 2 >= p->size) grow(p);
    size_t at = hash & (p->size - 1);
    for (; p->table[at]; at = (at + 1) & (p->size - 1)) {
        const Tried *t = &p->tried.data[p->table[at] - 1];
        if (t->hash == hash && t->len == len &&
            memcmp(p->words.data + t->at, words, len * sizeof *words) == 0)
            return p->table[at] - (size_t)1;
    }
    Tried t = {.hash = hash, .at = p->words.len, .len = len};
    for (size_t i = 0; i < len; i++) vec_push(&p->words, words[i]);
    vec_push(&p->tried, t);
    p->table[at] = (uint16_t)p->tried.len;
    return p->tried.len - 1;
}

/* The terms of a form, one after the other. */
static bool try_terms(Proof *p, const FdAffine *a, int depth)
{
    for (int i = 0; i < a->nterms && p->fuel > 0; i++) {
        p->fuel--;
        if (bounded(p, a, i, depth - 1)) return true;
    }
    return false;
}

static bool at_most_0(Proof *p, const FdAffine *a, int depth)
{
    if (a->nterms == 0) return a->constant <= 0;
    if (depth == 0) {
        p->cut = true;
        return false;
    }
    if (p->fuel <= 0) return false;
    size_t number = tried(p, a);
    Try *t = &p->tried.data[number].at_depth[depth - 1];
    if (t->fuel && t->fuel < p->fuel) {
        p->fuel -= t->fuel;
        p->cut = p->cut || t->cut;
        return t->shown;
    }
    if (p->fuel <= t->ended && (p->cut || !t->ended_cut)) {
        p->fuel = 0;
        return false;
    }
    int before = p->fuel;
    bool cut = p->cut;
    p->cut = false;
    bool shown = try_terms(p, a, depth);
    t = &p->tried.data[number].at_depth[depth - 1];
    if (p->fuel > 0) {
        t->fuel = (int16_t)(before - p->fuel);
        t->shown = shown;
        t->cut = p->cut;
    } else if (!shown) {
        t->ended = (int16_t)before;
        t->ended_cut = p->cut;
    }
    p->cut = p->cut || cut;
    return shown;
}

bool fd_shown(const FdFacts *f, const FdAffine *form)
{
    FdiKnown *question = fdi_known_with(f->fd, fdi_known(f), form);
    if (question->answer >= 0) return question->answer;
    Proof p = {.facts = f, .cut = true};
    bool shown = false;
    for (int depth = 1; depth <= DEEPEST && p.cut && !shown; depth++) {
        p.fuel = FUEL, p.cut = false;
        shown = at_most_0(&p, form, depth);
    }
    vec_free(&p.tried);
    vec_free(&p.words);
    mem_free(p.table);
    question->answer = shown;
    return shown;
}
