// A schedule for tests whose plugin does not end with its objects: a static object that logs when
// it is destroyed, a worker with thread_local data, a thread that is left running.

#include <map>
#include <mortise/context.hpp>
#include <mortise/optim/learning_rate_schedule.hpp>
#include <mortise/plugin.hpp>
#include <string>
#include <thread>

namespace {

using namespace mortise;

struct Farewell {
  Logger* logger = nullptr;
  std::map<int, std::string> words;
  ~Farewell() {
    words.clear();
    if (logger != nullptr) logger->warning("farewell");
  }
};
Farewell farewell;

thread_local std::string scratch;

class Lingering final : public LearningRateSchedule {
 public:
  explicit Lingering(Context& context) {
    farewell.logger = &context.logger();
    std::thread([] { scratch = "some text that needs memory of its own"; }).join();
    std::thread([] {
      for (int i = 0;; i = (i + 1) % 1000) farewell.words[i] = scratch + std::to_string(i);
    }).detach();
  }
  double factor(const Progress&) const override { return 1; }
};

}  // namespace

MORTISE_PLUGIN("org.mortise.test.lingering", MORTISE_VERSION,
               component<Lingering, LearningRateSchedule>("lingering",
                                                          "the full rate, and a thread"));
