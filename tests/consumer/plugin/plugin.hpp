// What the host knows of the plug-in.
#pragma once

#include <string>

#include <rondo/task.hpp>

struct plugin_functions {
    rondo::task<std::string> (*greet)(std::string who);
    rondo::task<int> (*twice)(rondo::task<int> of_the_host);
    rondo::task<int> (*fail)(int how);
    rondo::task<> (*wait)(bool& was_cancelled);
    rondo::task<int> (*spawn_and_join)();
};

using get_plugin = const plugin_functions* (*)();
