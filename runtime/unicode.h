/* Characters: their classes and simple case mappings, as the C library's UTF-8 locale has them. */
#ifndef CS_RUNTIME_UNICODE_H
#define CS_RUNTIME_UNICODE_H

#include <stdint.h>

int32_t cs_char_is_digit(int32_t c);
int32_t cs_char_is_letter(int32_t c);
int32_t cs_char_is_letter_or_digit(int32_t c);
int32_t cs_char_is_white_space(int32_t c);
int32_t cs_char_is_upper(int32_t c);
int32_t cs_char_is_lower(int32_t c);
int32_t cs_char_is_punctuation(int32_t c);
int32_t cs_char_to_upper(int32_t c);
int32_t cs_char_to_lower(int32_t c);

#endif
