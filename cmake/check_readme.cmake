# cmake -DREADME=<README.md> -P check_readme.cmake <program>
# One of the README's cpp blocks must be the program, to the byte.
math(EXPR last "${CMAKE_ARGC} - 1")
set(program "${CMAKE_ARGV${last}}")
file(READ "${program}" text)
file(READ "${README}" readme)
string(FIND "${readme}" "\n```cpp\n${text}```\n" at)
if(at EQUAL -1)
    message(FATAL_ERROR "${README} shows no block that equals ${program}")
endif()
