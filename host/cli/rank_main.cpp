#include "host/cli/rank_main.hpp"

#include <ATen/Context.h>
#include <c10/util/Logging.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>

#include "host/checkpoint/files/checksum.hpp"
#include "host/cli/metrics_service.hpp"
#include "host/cli/session.hpp"
#include "host/cli/told_once.hpp"
#include "host/distributed/agreement.hpp"
#include "host/distributed/alarm.hpp"
#include "host/distributed/call_order.hpp"
#include "host/distributed/carriage.hpp"
#include "host/distributed/mesh.hpp"
#include "host/distributed/roll_call.hpp"
#include "host/distributed/whereabouts.hpp"
#include "host/process/cuda_device.hpp"
#include "host/rehearsal/unwritten.hpp"
#include "host/training/horizon.hpp"
#include "host/training/run_folder.hpp"
#include "host/training/sample_batch.hpp"
#include "host/training/start_report.hpp"
#include "host/training/training_run.hpp"
#include "host/wiring/crash_report.hpp"
#include "host/wiring/failure_of_error.hpp"
#include "host/wiring/host_tables.hpp"

namespace mortise::host {
namespace {

std::chrono::milliseconds timeout_of(const RunSettings& s) {
  return std::chrono::milliseconds(std::int64_t(s.timeout_seconds * 1000));
}

// What `open` says is a mistake of the file.
template <class Open>
auto at_device(const Setting& root, Open open) {
  try {
    return open();
  } catch (const Failure& f) {
    throw Failure(f.id(), f.exit(), place_of(*find_path(root, "run.device")) + f.what());
  }
}

at::Device device_of(const RunSettings& s, const Setting& root, const RankEnvironment& ranks) {
  if (s.device != "cuda") return at::kCPU;
  return at_device(root, [&] { return open_cuda(ranks.local_rank); });
}

std::string digest_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  Checksum checksum;
  for (char buffer[1 << 16]; in.read(buffer, sizeof buffer), in.gcount() > 0;)
    checksum.add(buffer, std::size_t(in.gcount()));
  return checksum.hex();
}

// The loaded plugins, one line each: "org.mortise.llama 0.1.0 XXH3".
std::string plugin_lines(const Setting& root, const PluginCatalog& catalog) {
  std::string lines, last;
  for (const ComponentOffer& o : offers_in(root, catalog)) {
    const std::string id = o.plugin + " " + o.version;
    if (id != last) lines += id + " " + digest_of(o.file) + "\n";
    last = id;
  }
  return lines;
}

std::vector<AgreementItem> agreement_items(const std::string& plugins,
                                           const std::string& configuration) {
  return {{"host", MORTISE_VERSION},
          {"LibTorch", libtorch_version()},
          {"plugins", plugins},
          {"configuration", configuration}};
}

// What goes wrong between ranks is told by us, once, and without LibTorch's stack dumps, unless
// somebody asks for them.
void quiet_libtorch() {
  setenv("TORCH_CPP_LOG_LEVEL", "FATAL", 0);
  c10::initLogging();
}

// A mesh that does not fit the ranks is a mistake of the file.
std::unique_ptr<HostMesh> mesh_of(const Setting& root, const RunSettings& s,
                                  const RankEnvironment& ranks,
                                  std::shared_ptr<Rendezvous> rendezvous, Carriage carriage = {}) {
  try {
    std::shared_ptr<CallOrder> order;
    if (s.checks_collectives && ranks.size > 1 && rendezvous) order = make_call_order(rendezvous);
    return std::make_unique<HostMesh>(axes_for(s.mesh, ranks.size), ranks, std::move(rendezvous),
                                      timeout_of(s), std::move(order), std::move(carriage));
  } catch (const Failure& f) {
    throw Failure(f.id(), f.exit(), place_of(root.at("mesh")) + f.what());
  }
}

constexpr const char* kCommunicator = "run.communicator";

// A connector that no file names.
Component& make_connector(Wiring& wiring, const char* key) {
  ComponentNode node;
  node.use = key;
  node.interface_id = Remote<Connector>::id;
  Setting setting;
  setting.value = std::move(node);
  return wiring.make(setting, std::string(kCommunicator) + "." + key);
}

// The parts of a run on this rank, in the order in which they need each other.
class RankProgram {
 public:
  explicit RankProgram(const RunArguments& a)
      : session(a.plugins, request_for(a.file, a.sets)),
        file(session.load()),
        settings(read_run_settings(file.root)),
        ranks(rank_environment()),
        log(ranks.rank, ranks.size),
        log_service(log) {
    share_whereabouts(ranks.rank, ranks.size);
    if (ranks.size > 1) report_crashes_of_rank(ranks.rank);
    device = device_of(settings, file.root, ranks);
    if (!device.is_cpu())  // plugins that need its libraries are accepted now
      session = Session(a.plugins, request_for(a.file, a.sets));
    services.offer<Logger>(log_service);
    services.offer<Metrics>(metrics_service);
    load_plugins(file.root, session.plugins());
    name_for_crash_reports();
  }

  void join() {
    if (ranks.size == 1) return;
    rendezvous = host::join(ranks, timeout_of(settings));
    roll_call = std::make_shared<RollCall>(rendezvous, ranks);
  }
  // Under a launcher; a starter sees its ranks itself.
  void keep_watch() {
    if (ranks.size > 1 && shared_whereabouts().empty())
      watcher = std::make_unique<Watch>(rendezvous, ranks);
  }
  // Another name where a run of this one is there already: rank 0 looks.
  void rename() {
    std::string name =
        free_run_name(std::filesystem::path(settings.folder).parent_path(), settings.name);
    if (rendezvous && ranks.rank == 0) rendezvous->set("run.name", name);
    if (rendezvous && ranks.rank != 0) name = rendezvous->get("run.name", 0);
    file.root.find("run")->find("name")->value = name;
    settings = read_run_settings(file.root);
  }
  void wire() {
    mesh = mesh_of(file.root, settings, ranks, rendezvous, carriage());
    wire_model(*mesh);
    wire_data(*mesh);
  }
  void wire_model(Mesh& used) {
    services.offer<Mesh>(used);
    services.set_run_folder(settings.folder);
    model = std::make_unique<ModelProgram>(request(used), true);
  }
  void wire_data(Mesh& used) {
    data = std::make_unique<DataProgram>(request(used), *model);
    const Horizon horizon(settings, data->train().size());
    resolve_links(file.root, {{"run.steps", fact(horizon.total_steps, "the length of the run")}});
    schedule = model->wiring().make("schedule").as<LearningRateSchedule>();
  }
  Exit train(const RunArguments& a) {
    const TrainingRequest request{a.command + (a.anew ? " --set run.name=" + settings.name : ""),
                                  "mortise replay " + settings.folder + a.plugin_options,
                                  a.resume,
                                  a.accept,
                                  file.root,
                                  write_resolved(file.root),
                                  plugin_lines(file.root, session.plugins())};
    const TrainingParts parts{request,
                              settings,
                              *model,
                              *data,
                              *schedule,
                              log,
                              [this] { return metrics_service.take(); }};
    return run_training(parts, sinks());
  }

  Session session;
  RunFile file;
  RunSettings settings;
  RankEnvironment ranks;
  at::Device device = at::kCPU;
  RunLog log;
  LogService log_service;
  MetricsService metrics_service;
  Services services;
  std::shared_ptr<Rendezvous> rendezvous;
  std::shared_ptr<RollCall> roll_call;
  std::unique_ptr<Watch> watcher;
  std::unique_ptr<Wiring> carrier_wiring;  // of the connector, which the mesh needs
  std::unique_ptr<Remote<Connector>> connector, device_connector;
  std::unique_ptr<HostMesh> mesh;
  std::unique_ptr<ModelProgram> model;
  std::unique_ptr<DataProgram> data;
  StandIns* stand_ins = nullptr;  // lent
  std::unique_ptr<Remote<LearningRateSchedule>> schedule;

 private:
  ProgramRequest request(Mesh& used) {
    return {file.root, settings, session.plugins(), services, used, stand_ins, device};
  }
  Carriage carriage() {
    Carriage c;
    if (ranks.size == 1) return c;
    carrier_wiring = std::make_unique<Wiring>(file.root, session.plugins(), services);
    const Setting& asked = *find_path(file.root, kCommunicator);
    c.notice = [this](const std::string& text) { log.info(text); };
    c.automatic = settings.chooses_communicator || !device.is_cpu();
    if (!device.is_cpu()) {
      Component& made = asked.is_component() ? carrier_wiring->make(kCommunicator)
                                             : make_connector(*carrier_wiring, "nccl");
      device_connector = made.as<Connector>();
      c.of_device = device_connector.get();
      c.device = device.str();
    }
    if (!c.automatic && asked.is_component())
      take(c, carrier_wiring->make(kCommunicator));
    else if (c.automatic && !session.plugins().find(Remote<Connector>::id, "shared_memory").empty())
      take(c, make_connector(*carrier_wiring, "shared_memory"));
    return c;
  }
  void take(Carriage& c, const Component& made) {
    connector = made.as<Connector>();
    c.connector = connector.get();
    c.name = made.origin().key;
  }
  void name_for_crash_reports() const {
    std::set<std::string> named;
    for (const ComponentOffer& o : offers_in(file.root, session.plugins()))
      if (named.insert(o.plugin).second)
        name_in_crash_reports({o.plugin, o.version, digest_of(o.file), o.file});
  }
  std::vector<MetricLog::Sink> sinks() {
    std::vector<MetricLog::Sink> all;
    if (ranks.rank != 0) return all;
    for (const char* list : {"log.always", "log.sinks"}) {
      const Setting* nodes = find_path(file.root, list);
      if (nodes == nullptr || !nodes->is_list()) continue;
      for (std::size_t i = 0; i != nodes->as_list().size(); ++i) {
        const Setting& node = nodes->as_list()[i];
        const Setting* required = host_key(node, "required");
        Component& made = model->wiring().make(std::string(list) + "." + std::to_string(i));
        all.push_back({made.as<MetricSink>(), node.as_component().use,
                       required != nullptr && required->as_bool()});
      }
    }
    return all;
  }
};

[[noreturn]] void tell(const RankProgram& program, const Failure& failure) {
  if (program.rendezvous == nullptr) throw failure;
  tell_once(program.rendezvous, program.ranks, program.roll_call, failure);
}

template <class F>
auto with_context(F f) {
  try {
    return f();
  } catch (const Error& e) {
    throw failure_of(e, "this run");
  }
}

}  // namespace

Exit run_rank(const RunArguments& arguments) {
  quiet_libtorch();
  std::optional<RankProgram> made;
  try {
    made.emplace(arguments);
  } catch (const Failure& f) {
    tell_once_before_joining(f);
  }
  RankProgram& program = *made;
  try {
    return with_context([&] {
      program.join();
      if (program.ranks.size > 1)
        require_agreement(
            *program.rendezvous, program.ranks,
            agreement_items(plugin_lines(program.file.root, program.session.plugins()),
                            program.file.resolved_yaml));
      program.keep_watch();
      if (arguments.anew) program.rename();
      program.wire();
      return program.train(arguments);
    });
  } catch (const Failure& f) {
    tell(program, f);
  }
}

Exit replay_rank(const RunArguments& arguments, const ReplayRequest& request) {
  quiet_libtorch();
  FiniteWatch watch;
  RankProgram program(arguments);
  program.stand_ins = &watch;
  program.settings.folder = request.run.string();
  try {
    return with_context([&] {
      program.join();
      program.wire();
      const std::string text = replay(
          {program.settings, *program.model, *program.data, *program.schedule, watch}, request);
      if (program.ranks.rank == 0) std::cout << text << std::flush;
      return Exit::done;
    });
  } catch (const Failure& f) {
    tell(program, f);
  }
}

namespace {

std::int64_t stages_of(const RunArguments& arguments) {
  const Session session(arguments.plugins, request_for(arguments.file, arguments.sets));
  for (const AxisSize& axis : read_run_settings(session.load().root).mesh.axes)
    if (axis.name == "pp") return axis.size;
  return 1;
}

// The first samples of the training set, as many as a micro-batch has.
Batch first_batch(const Dataset& data, const RunSettings& s, std::int64_t vocabulary) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i != s.micro_batch; ++i) indices.push_back(i % data.size());
  return batch_of(data, indices, {s.sequence_length, vocabulary, s.isolates_documents});
}

// What all ranks have in common is told by the first.
UnitProbe probe_of(RankProgram& program, Mesh& mesh, DryRun& run) {
  constexpr double kAffordable = 2e11;  // operations: a few seconds
  program.wire_data(mesh);
  const RunSettings& s = program.settings;
  const Dataset& data = program.data->train();
  const Engine& engine = program.model->engine();
  run.start = start_report(s, Horizon(s, data.size()), *program.model, *program.data, 0);
  run.tokens_per_step = s.tokens_per_step();
  run.micro_batches = s.micro_batches();
  const std::int64_t dealt = engine.layout().micro_batches().size();
  run.idle = (dealt - run.micro_batches % dealt) % dealt;
  const Batch batch = first_batch(data, s, program.model->vocabulary_size());
  std::vector<Batch> batches = probe_batches(batch, engine, kAffordable);
  run.measured_whole = batches.size() == 1;
  return UnitProbe(std::move(batches), double(batch["tokens"].numel()));
}

// The figures of one rank go into `run`; units that `probe` has measured are not run again.
void rehearse(const RunArguments& arguments, std::int64_t rank, MemoryCount& memory,
              std::optional<UnitProbe>& probe, DryRun& run) {
  RankProgram program(arguments);
  program.ranks.rank = rank;
  program.ranks.size = run.ranks;
  program.device = at::kCPU;  // where memory is counted
  RehearsedMesh mesh(mesh_of(program.file.root, program.settings, program.ranks, nullptr)->axes());
  Rehearsal rehearsal(mesh, memory);
  program.stand_ins = &rehearsal;
  {
    const Unwritten unwritten;
    program.wire_model(mesh);
  }
  if (!probe) probe.emplace(probe_of(program, mesh, run));
  const Unwritten unwritten;
  run.rehearsed.push_back(
      rehearsal.run(program.model->engine(), *probe, program.settings.micro_batches()));
  run.has_whole_matrices = rehearsal.has_whole_matrices();
}

}  // namespace

DryRun dry_run(const RunArguments& arguments, std::int64_t ranks) {
  quiet_libtorch();
  check_before_start(arguments, ranks);
  MemoryCount memory;
  std::optional<UnitProbe> probe;
  DryRun run;
  run.ranks = ranks;
  return with_context([&] {
    for (const std::int64_t rank : ranks_to_rehearse(ranks, stages_of(arguments)))
      rehearse(arguments, rank, memory, probe, run);
    return run;
  });
}

void check_before_start(const RunArguments& arguments, std::int64_t ranks) {
  const Session session(arguments.plugins, request_for(arguments.file, arguments.sets));
  const RunFile file = session.load();
  const RunSettings settings = read_run_settings(file.root);
  if (settings.device == "cuda") at_device(file.root, require_cuda_driver);
  RankEnvironment first;
  first.size = ranks;
  mesh_of(file.root, settings, first, nullptr);
}

std::vector<std::string> check_run(const RunArguments& arguments) {
  RankProgram program(arguments);
  program.settings.mesh = {};
  with_context([&] {
    program.wire();
    return 0;
  });
  const Horizon horizon(program.settings, program.data->train().size());
  return start_report(program.settings, horizon, *program.model, *program.data, 0);
}

}  // namespace mortise::host
