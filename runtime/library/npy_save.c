/* Npy.Save: an array as an .npy file, whole or not at all. */
#include "../objects/record.h"
#include "../objects/str.h"
#include "../ranks/ranks.h"
#include "../state.h"
#include "npy.h"
#include "npy_parts.h"

/* *at: where elements begin. */
static bool write_header(Save *s, const Array *a, int64_t *at)
{
    Text header = {0};
    npy_header_write(&header, &a->head);
    if (header.failed) rt_throw_memory(s->site, 0);
    bool good = !header.failed && save_write(s, header.data, header.len);
    *at = (int64_t)header.len;
    text_free(&header);
    return good;
}

/* data: its elements, or NULL without any. */
static bool write_array(Save *s, const Array *a, const void *data)
{
    int64_t at;
    bool good = write_header(s, a, &at);
    size_t bytes = (size_t)rt_array_count(a) * scalar_bytes((ScalarKind)a->head.elem);
    return good && (bytes == 0 || save_write(s, data, bytes));
}

static bool finite(void *fn, const CsSite *site)
{
    FdBox room;
    const FdBox *box = rt_box_of(fn, &room);
    for (int d = 0; d < box->rank; d++)
        if (box->dim[d].full) {
            Text type = {0};
            text_add_type(&type, rt_type_of(fn));
            rt_throw(RT_DOMAIN, site,
                     "Npy.Save needs a finite domain, and this %s has none: give it a range, as in "
                     "let(i : 0..n) f(i)",
                     type.data);
            text_free(&type);
            return false;
        }
    return true;
}

/* Ranks have parts of it. */
static void save_parts(const Array *a, const Str *path, const CsSite *site)
{
    Save s;
    int64_t at = 0;
    bool good = save_open(&s, path, site);
    if (good) write_header(&s, a, &at);
    if (npy_parts_save(&s, a, at)) save_finish(&s);
    save_end(&s);
}

void cs_npy_save(void *path, void *fn, const CsSite *site)
{
    Array *a = finite(fn, site) ? cs_force(fn, site) : NULL;
    if (!a) return;
    if (a->head.elem == CS_ELEM_REF)
        rt_throw(RT_IO, site, "an .npy file holds numbers, so this array cannot be saved in one");
    else if (elem_is_record(a->head.elem))
        rt_throw(RT_IO, site,
                 "an .npy file holds numbers, so an array of %s cannot be saved in one; its fields "
                 "can, as in f.x",
                 rt.program->records[a->head.elem - CS_ELEM_RECORD].title);
    else if (npy_parts_has(a))
        save_parts(a, path, site);
    else {
        Save s;
        const void *data = rt_array_data(a, site);
        if (!cs_pending) {
            if (data) ranks_note(data, a->head.buffer->bytes);
            if (save_open(&s, path, site) && write_array(&s, a, data)) save_finish(&s);
            save_end(&s);
        }
    }
    rt_site(site);
    cs_release(a);
}
