/* The Python module of a library. */
#include "library.h"
#include "texts.h"

void host_print_python(Text *out, const HostModule *m, const char *file)
{
    (void)m, (void)file;
    text_add(out, library_module_py);
}
