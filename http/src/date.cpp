#include <rondo/http/date.hpp>

#include <array>
#include <string_view>

namespace rondo::inline v0 {
namespace http {

namespace {

// strftime would do, but for the locale.
constexpr std::array<std::string_view, 7> days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

void two_digits(std::string& out, int n) {
    out += static_cast<char>('0' + n / 10 % 10);
    out += static_cast<char>('0' + n % 10);
}

}  // namespace

std::string http_date(std::time_t t) {
    std::tm tm{};
    ::gmtime_r(&t, &tm);
    std::string s;
    s.reserve(29);
    s.append(days[static_cast<std::size_t>(tm.tm_wday)]) += ", ";
    two_digits(s, tm.tm_mday);
    (s += ' ').append(months[static_cast<std::size_t>(tm.tm_mon)]) += ' ';
    two_digits(s, (tm.tm_year + 1900) / 100);
    two_digits(s, (tm.tm_year + 1900) % 100);
    s += ' ';
    two_digits(s, tm.tm_hour);
    s += ':';
    two_digits(s, tm.tm_min);
    s += ':';
    two_digits(s, tm.tm_sec);
    return s += " GMT";
}

}  // namespace http
}  // namespace rondo::inline v0
