/* Wheels (wheel.h): archives in the format of zip, nothing in them compressed, all of one date, so that
 * the same sources make the same bytes. */
#include "wheel.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "message.h"

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    VERSION_OF_ZIP = 20,
    MADE_ON_UNIX = 3 << 8,
    NEW_YEAR_1980 = 1 << 5 | 1, /* no date is earlier */
    UTF8 = 1 << 11
};

/* ---- names ---------------------------------------------------------------------------------- */

static bool is_part(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("_.+!", text[i])) return false;
    return n > 0;
}

const WheelName *wheel_name(Arena *a, const char *file)
{
    const char *parts[5], *at = file, *end = file + strlen(file) - strlen(".whl");
    size_t lengths[5];
    int n = 0;
    for (bool more = true; more && n < 5; n++) {
        size_t len = strcspn(at, "-");
        more = at[len] != 0;
        if (!more) len = (size_t)(end - at);
        parts[n] = at;
        lengths[n] = len;
        if (!is_part(at, len)) break;
        at += len + 1;
    }
    if (n != 5 || at != end + 1 || !isdigit((unsigned char)*parts[1])) {
        complain("'%s': a wheel is called NAME-VERSION-py3-none-PLATFORM.whl, as "
                 "vectors-1.0-py3-none-linux_x86_64.whl",
                 file);
        return NULL;
    }
    WheelName *w = arena_new_of(a, WheelName);
    w->name = arena_strndup(a, parts[0], lengths[0]);
    w->version = arena_strndup(a, parts[1], lengths[1]);
    w->tags = arena_strndup(a, parts[2], (size_t)(end - parts[2]));
    return w;
}

/* ---- the archive ---------------------------------------------------------------------------- */

typedef struct Zip {
    Text *out, directory;
    int files;
} Zip;

static void add_number(Text *t, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++) text_addn(t, &(char){(char)(v >> (8 * i) & 0xff)}, 1);
}

static uint32_t checksum(const Text *t)
{
    uint32_t crc = ~UINT32_C(0);
    for (size_t i = 0; i < t->len; i++) {
        crc ^= (unsigned char)t->data[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (UINT32_C(0xedb88320) & (0 - (crc & 1)));
    }
    return ~crc;
}

/* What both headers of a file have. */
static void add_facts(Text *t, const char *name, const Text *bytes, uint32_t crc)
{
    add_number(t, VERSION_OF_ZIP, 2);
    add_number(t, UTF8, 2);
    add_number(t, 0, 4); /* stored as it is; at midnight */
    add_number(t, NEW_YEAR_1980, 2);
    add_number(t, crc, 4);
    add_number(t, bytes->len, 4);
    add_number(t, bytes->len, 4);
    add_number(t, strlen(name), 2);
    add_number(t, 0, 2);
}

static void add_file(Zip *z, const char *name, const Text *bytes, unsigned mode)
{
    uint32_t crc = checksum(bytes);
    size_t at = z->out->len;
    add_number(z->out, LOCAL, 4);
    add_facts(z->out, name, bytes, crc);
    text_add(z->out, name);
    text_addn(z->out, bytes->data, bytes->len);
    add_number(&z->directory, CENTRAL, 4);
    add_number(&z->directory, MADE_ON_UNIX | VERSION_OF_ZIP, 2);
    add_facts(&z->directory, name, bytes, crc);
    add_number(&z->directory, 0, 6);
    add_number(&z->directory, (uint64_t)(0100000 | mode) << 16, 4);
    add_number(&z->directory, at, 4);
    text_add(&z->directory, name);
    z->files++;
}

static void add_end(Zip *z)
{
    size_t at = z->out->len;
    text_addn(z->out, z->directory.data, z->directory.len);
    add_number(z->out, END, 4);
    add_number(z->out, 0, 4);
    add_number(z->out, (uint64_t)z->files, 2);
    add_number(z->out, (uint64_t)z->files, 2);
    add_number(z->out, z->directory.len, 4);
    add_number(z->out, at, 4);
    add_number(z->out, 0, 2);
    text_free(&z->directory);
}

/* ---- wheels --------------------------------------------------------------------------------- */

void wheel_make(Text *out, const WheelName *w, const char *module_name, const Text *module,
                const char *library_name, const Text *library)
{
    Zip z = {.out = out};
    Text name = {0}, folder = {0}, about = {0}, form = {0}, record = {0};
    text_printf(&name, "%s.py", module_name);
    text_printf(&folder, "%s-%s.dist-info", w->name, w->version);
    text_printf(&about, "Metadata-Version: 2.1\nName: %s\nVersion: %s\n", w->name, w->version);
    text_printf(&form,
                "Wheel-Version: 1.0\nGenerator: csc " VERSION "\nRoot-Is-Purelib: false\nTag: %s\n",
                w->tags);
    text_printf(&record, "%s,,\n%s,,\n%s/METADATA,,\n%s/WHEEL,,\n%s/RECORD,,\n", name.data,
                library_name, folder.data, folder.data, folder.data);
    add_file(&z, name.data, module, 0644);
    add_file(&z, library_name, library, 0755);
    const struct {
        const char *file;
        const Text *text;
    } facts[] = {{"METADATA", &about}, {"WHEEL", &form}, {"RECORD", &record}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        Text path = {0};
        text_printf(&path, "%s/%s", folder.data, facts[i].file);
        add_file(&z, path.data, facts[i].text, 0644);
        text_free(&path);
    }
    add_end(&z);
    Text *const all[] = {&name, &folder, &about, &form, &record};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) text_free(all[i]);
}
