# find_package(csdollar), then
#   csdollar_add_library(vectors vectors.cs$ [STATIC] [OPTIONS --precise ..])
# makes of a C$ file a library to link with, whose header is libvectors.h.
get_filename_component(_csdollar_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(CSDOLLAR_CSC csc HINTS "${_csdollar_prefix}/bin")
if(NOT CSDOLLAR_CSC)
    set(csdollar_FOUND FALSE)
    return()
endif()

function(csdollar_add_library target source)
    cmake_parse_arguments(CSD "STATIC" "" "OPTIONS" ${ARGN})
    if(CSD_STATIC)
        set(kind STATIC)
        set(library "${CMAKE_CURRENT_BINARY_DIR}/lib${target}.a")
    else()
        set(kind SHARED)
        set(library "${CMAKE_CURRENT_BINARY_DIR}/lib${target}.so")
    endif()
    get_filename_component(input "${source}" ABSOLUTE)
    add_custom_command(
        OUTPUT "${library}" "${CMAKE_CURRENT_BINARY_DIR}/lib${target}.h"
        COMMAND "${CSDOLLAR_CSC}" --lib ${CSD_OPTIONS} "${input}" -o "${library}"
        DEPENDS "${input}"
        VERBATIM)
    add_custom_target(${target}-made DEPENDS "${library}")
    add_library(${target} ${kind} IMPORTED GLOBAL)
    add_dependencies(${target} ${target}-made)
    set_target_properties(${target} PROPERTIES
        IMPORTED_LOCATION "${library}"
        INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_BINARY_DIR}"
        INTERFACE_LINK_LIBRARIES "OpenCL;m;pthread")
endfunction()
