/* The automaton without its actions: what would happen if some tokens came. */
#include "repair.h"

int trial_top(const Trial *t)
{
    return t->over.len > 0 ? vec_last(&t->over) : grammar_state(t->p->state, t->kept - 1);
}

bool trial_token(Trial *t, int kind)
{
    for (;;) {
        int action = grammar_action(trial_top(t), kind);
        if (action == 0) return false;
        if (action > 0) {
            vec_push(&t->over, action);
            return true;
        }
        size_t length = (size_t)grammar_rule_length(-action);
        size_t own = length < t->over.len ? length : t->over.len;
        t->over.len -= own;
        t->kept -= length - own;
        int next = grammar_after(trial_top(t), -action);
        vec_push(&t->over, next);
    }
}

Trial trial_at(const Parse *p, size_t depth)
{
    return (Trial){.p = p, .kept = depth};
}

Trial trial_copy(const Trial *t)
{
    Trial copy = trial_at(t->p, t->kept);
    for (size_t i = 0; i < t->over.len; i++) vec_push(&copy.over, t->over.data[i]);
    return copy;
}

bool trial_would_fit(const Trial *t, TokenKind kind)
{
    Trial copy = trial_copy(t);
    bool fits = trial_token(&copy, (int)kind);
    vec_free(&copy.over);
    return fits;
}

bool repair_fits(Parse *p, TokenKind kind)
{
    int action = grammar_action(grammar_state(p->state, grammar_depth(p->state) - 1), (int)kind);
    if (action >= 0) return action > 0;
    Trial t = trial_at(p, grammar_depth(p->state));
    t.over.data = p->states.data; /* no allocation a token */
    t.over.cap = p->states.cap;
    bool fits = trial_token(&t, (int)kind);
    p->states.data = t.over.data;
    p->states.cap = t.over.cap;
    return fits;
}

TokenKind repair_kind(const Parse *p, size_t i)
{
    return i < p->tokens.list.len ? p->tokens.list.data[i].kind : TOK_END;
}

bool repair_on_new_line(const Parse *p, size_t i)
{
    return repair_kind(p, i) == TOK_END || p->tokens.list.data[i].flags & TOKEN_NEW_LINE;
}
