/* Texts that csc copies into what it writes; build/codegen/texts.c, made by tools/embed-texts.sh. */
#ifndef CS_CODEGEN_HOST_TEXTS_H
#define CS_CODEGEN_HOST_TEXTS_H

typedef struct LibraryTexts {
    const char *embed_h;   /* codegen/abi/embed.h */
    const char *module_py; /* codegen/host/library/module.py */
} LibraryTexts;

extern const LibraryTexts library_texts;

#endif
