#include <string_view>

#include "export_forms.h"
#include "page_data.h"
#include "timeline_page.h"

namespace blockx::tools {

void WriteHtml(const Timeline& timeline, Output& out) {
  std::string_view page = kTimelinePage;
  const auto write_up_to = [&](std::string_view place) {
    const std::size_t at = page.find(place);
    out.Write(page.substr(0, at));
    page.remove_prefix(at + place.size());
  };
  write_up_to("{{style}}");
  out.Write(kTimelineStyle);
  write_up_to("{{data}}");
  WritePageData(timeline, out);
  write_up_to("{{script}}");
  out.Write(kTimelineScript);
  out.Write(page);
}

}  // namespace blockx::tools
