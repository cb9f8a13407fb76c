/* Texts that csc copies into what it writes; build/codegen/texts.c, made by tools/embed-texts.sh. */
#ifndef CS_CODEGEN_HOST_TEXTS_H
#define CS_CODEGEN_HOST_TEXTS_H

extern const char library_embed_h[];   /* codegen/abi/embed.h */
extern const char library_module_py[]; /* codegen/host/library/module.py */

#endif
