/* Statements of user functions from their text (reader.h). */
#include "reader.h"

enum { MAX_DEPTH = 2000 }; /* of nested statements */

FdStmt *rd_block(Reader *r, int depth)
{
    FdStmt *first = NULL, **last = &first;
    if (depth > MAX_DEPTH) rd_fail(r, "statements are nested too deeply");
    while (!r->error) {
        if (!rd_next_line(r)) {
            rd_fail(r, "a block has no end");
            break;
        }
        if (*r->p == '}') break;
        FdStmt *s = arena_new_of(r->fd->arena, FdStmt);
        bool block = false;
        if (rd_accept(r, "set")) {
            s->kind = FD_STMT_SET;
            s->var = rd_ref(r);
            rd_expect(r, "=");
            s->expr = rd_ref(r);
        } else if (rd_accept(r, "put")) {
            s->kind = FD_STMT_PUT;
            s->var = rd_ref(r);
            rd_expect(r, "=");
            s->expr = rd_ref(r);
        } else if (rd_accept(r, "clear")) {
            s->kind = FD_STMT_CLEAR;
            s->var = rd_ref(r);
        } else if (rd_accept(r, "if")) {
            s->kind = FD_STMT_IF;
            s->expr = rd_ref(r);
            block = true;
        } else if (rd_accept(r, "loop")) {
            s->kind = FD_STMT_LOOP;
            block = true;
        } else if (rd_accept(r, "break")) {
            s->kind = FD_STMT_BREAK;
        } else if (rd_accept(r, "continue")) {
            s->kind = FD_STMT_CONTINUE;
        } else if (rd_accept(r, "return")) {
            s->kind = FD_STMT_RETURN;
            s->expr = rd_ref(r);
        } else {
            rd_fail(r, "expected a statement");
        }
        s->loc = rd_loc(r);
        if (block && rd_expect(r, "{")) {
            rd_end_line(r);
            s->body = rd_block(r, depth + 1);
            rd_expect(r, "}");
            if (rd_accept(r, s->kind == FD_STMT_IF ? "else" : "step") && rd_expect(r, "{")) {
                rd_end_line(r);
                s->other = rd_block(r, depth + 1);
                rd_expect(r, "}");
            }
        }
        rd_end_line(r);
        *last = s;
        last = &s->next;
    }
    return first;
}
