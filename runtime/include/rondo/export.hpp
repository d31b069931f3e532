// Visibility of the library's symbols. Everything is hidden unless marked RONDO_API, so that a program and
// its plug-ins share one copy of each thread-local and registry.
#pragma once

#define RONDO_API [[gnu::visibility("default")]]
