/* Options of lowering: their spelling, and their share of a kernel's key.
 */
#include <string.h>

#include "../codegen.h"
#include "generator.h"

static const char *const tiles[] = {
    [CG_TILE_AUTO] = "auto", [CG_TILE_1X1] = "1x1", [CG_TILE_2X2] = "2x2", [CG_TILE_4X4] = "4x4"};

bool cg_tile_from_text(const char *text, CgTile *out)
{
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        if (strcmp(text, tiles[i]) == 0) {
            *out = (CgTile)i;
            return true;
        }
    return false;
}

const char *cg_tile_text(CgTile t)
{
    return tiles[t];
}

bool cg_family_from_text(const char *text, CgFamily *out)
{
    if (strcmp(text, "cpu") == 0) return *out = CG_CPU, true;
    if (strcmp(text, "gpu") == 0) return *out = CG_GPU, true;
    return false;
}

FdKey cg_key(FdKey graph, const CgOptions *o)
{
    uint64_t bits = (uint64_t)CG_GENERATOR << 16 | (uint64_t)o->family << 8 |
                    (uint64_t)o->tile << 1 | (uint64_t)o->precise;
    /* splitmix64's finaliser spreads the few bits over both halves */
    uint64_t x = bits * 0x9E3779B97F4A7C15u + o->seed * (uint64_t)0xD1B54A32D192ED03u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    x ^= x >> 31;
    for (const char *c = o->set; c && *c; c++)
        x = (x ^ (unsigned char)*c) * 0x100000001B3u; /* FNV-1a */
    return (FdKey){graph.hi ^ x, graph.lo ^ (x << 1 | x >> 63)};
}
