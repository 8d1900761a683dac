//! What keeps a gate from running, and how it is told.

use gate::spec::{Severity, SpecError};

use super::{BASE, Edit, edited, parse, told, without_hypothesis};

/// What each of `edits` is told.
pub(super) fn refusals(edits: &[Edit]) -> String {
    told(edits, |name, text| {
        let error = parse(text).err().unwrap_or_else(|| panic!("`{name}` is accepted"));
        let SpecError::Invalid { problems, .. } = &error else { panic!("`{name}`: {error}") };
        assert!(!problems.is_empty(), "`{name}` is refused without a word");
        for problem in problems {
            assert_eq!(problem.severity(), Severity::Error, "`{name}`");
            assert!(!problem.expected().is_empty() && !problem.help().is_empty(), "`{name}` leaves people alone");
        }
        error.render(false)
    })
}

#[test]
fn keys_and_types() {
    let told = refusals(&[
        ("unknown key at the top", &[("title =", "titel = \"A trial\"\ntitle =")]),
        ("unknown table", &[("[matrix]", "[surprise]\nx = 1\n\n[matrix]")]),
        (
            "several unknown keys",
            &[("pairs = 12", "pears = 12\npairs = 12\nwarm_up = 3"), ("check =", "chek = 1\ncheck =")],
        ),
        ("unknown key in an inline table", &[("{ lane = \"native-v1\" }", "{ lane = \"native-v1\", cpu = 1 }")]),
        ("a waiver on a benefit", &[("max_ratio = 0.80", "max_ratio = 0.80\nwaiver = { reason = \"x\" }")]),
        ("text for a number", &[("pairs = 12", "pairs = \"12\"")]),
        ("fraction for a whole number", &[("pairs = 12", "pairs = 12.0")]),
        ("number for a text", &[("title = \"A trial\"", "title = 1")]),
        ("number for a time", &[("min_time = \"500ms\"", "min_time = 500")]),
        ("number for an array", &[("[1, 50, 1000]", "[1, 50, 1000]\nwithin_run = 3")]),
        ("text for a table", &[("{ lane = \"native-v1\" }", "\"native-v1\"")]),
        ("fraction on an axis", &[("[1, 50, 1000]", "[1, 50.5, 1000]")]),
        ("table on an axis", &[("[1, 50, 1000]", "{ from = 1 }")]),
        ("single brackets for a list", &[("[[hypothesis.report]]", "[hypothesis.report]")]),
        ("double brackets for a table", &[("[target]", "[[target]]")]),
        ("date without quotes", &[("max_ratio = 1.05", "max_ratio = 1.05\nwaiver = { until = 2027-01-31 }")]),
        ("negative seed", &[("[matrix]", "[fixture]\nseed = -1\n\n[matrix]")]),
        ("number beyond 63 bits", &[("pairs = 12", "pairs = 9223372036854775808")]),
        ("number beyond 64 bits", &[("pairs = 12", "pairs = 99999999999999999999")]),
        ("number beyond floats", &[("max_ratio = 1.05", "max_ratio = 1e999")]),
        ("control characters in a name", &[("title =", "\"ti\\u001b[31mtle\" = 1\ntitle =")]),
        (
            "a very long value",
            &[("\"dashboard\"", "\"dashboarddashboarddashboarddashboarddashboarddashboarddashboarddashboard\"")],
        ),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn notation() {
    let told = refusals(&[
        ("duplicate key", &[("pairs = 12", "pairs = 12\npairs = 13")]),
        ("no quotes", &[("\"dashboard\"", "dashboard")]),
        ("no value", &[("pairs = 12", "pairs =")]),
        ("open bracket", &[("[1, 50, 1000]", "[1, 50, 1000")]),
        ("not TOML at all", &[(BASE, "%%%")]),
        ("nothing but a comment", &[(BASE, "# nothing\n")]),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn the_top() {
    let hypothesis = BASE.strip_prefix(without_hypothesis()).unwrap();
    let told = refusals(&[
        ("no version", &[("gate = 1\n", "")]),
        ("another version, and a key of it", &[("gate = 1", "gate = 2\nnovelty = true")]),
        ("no name, no title", &[("name = \"trial\"\ntitle = \"A trial\"\n", "")]),
        ("name with a slash", &[("\"trial\"", "\"../trial\"")]),
        ("empty name", &[("\"trial\"", "\"\"")]),
        ("name that is taken", &[("\"trial\"", "\"history.jsonl\"")]),
        ("overlong name", &[("\"trial\"", "\"trialtrialtrialtrialtrialtrialtrialtrialtrialtrialtrialtrialtrial\"")]),
        ("blank title", &[("\"A trial\"", "\"  \"")]),
        ("title of two lines", &[("\"A trial\"", "\"A\\ntrial\"")]),
        ("no target", &[("[target]\nsuite = \"dashboard\"\n", "")]),
        ("empty target", &[("suite = \"dashboard\"\n", "")]),
        ("two targets", &[("[matrix]", "[target.revisions]\nbaseline = \"v1\"\n\n[matrix]")]),
        ("unknown suite", &[("\"dashboard\"", "\"dashbord\"")]),
        ("null period of 0", &[("[matrix]", "[fixture]\nnull_period = 0\n\n[matrix]")]),
        ("no hypothesis", &[(hypothesis, "")]),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn targets_with_sides_of_their_own() {
    let sides = r#"
baseline  = { run = ["./old", "{rows}"] }
candidate = { run = ["./new", "{rows}"], env = { MODE = "new" } }
"#;
    let command = |text: &str| format!("\n[target.command]\n{text}\n");
    let revisions = |text: &str| format!("\n[target.revisions]\nbaseline = \"v1\"\ncandidate = \"HEAD\"\n{text}\n");
    let wrong = [
        ("a lane beside the target's sides", command(sides)),
        ("no side, and a mistaken key", command("baseline = { run = [], cdw = \".\" }")),
        ("no program", command("baseline = { run = [] }\ncandidate = { cwd = \"x\" }")),
        ("placeholders", command(&sides.replace("new", "{colour}"))),
        (
            "expectations",
            command(&format!("{sides}\nexpect = {{ exit = 256, stdout_sha256 = \"0x\", lines = \"many\" }}")),
        ),
        ("paths", command(&format!("{sides}\nfiles = [\"../x\", \"/etc/passwd\", \"\"]\nbuild = []"))),
        ("a place for benches that nobody reads", command(&sides.replace("./new", "--to={output}"))),
        ("an unknown output", command(&format!("{sides}\noutput = \"tme\""))),
        ("the worktree as baseline", revisions("run = [\"x\"]").replace("\"v1\"", "\"worktree\"")),
        ("an option for a revision", revisions("run = [\"x\"]").replace("\"v1\"", "\"--output=x\"")),
        ("a build that runs nothing", revisions("build = [\"make\"]")),
    ];
    // The trial's hypothesis is about lanes, checks and metrics of its suite, which the first case alone is to show.
    let plain = [
        ("baseline = { lane = \"api-direct\" }\ncandidate = { lane = \"native-v1\" }\n", ""),
        ("check = \"exact-values\"", "check = \"exit-code\""),
        ("rust_heap_bytes", "cpu_time"),
    ];
    let told: Vec<String> = wrong
        .iter()
        .enumerate()
        .map(|(index, (what, target))| {
            let target = [("suite = \"dashboard\"", target.as_str())];
            let edits = if index == 0 { target.to_vec() } else { [&target[..], &plain].concat() };
            refusals(&[(what, &edits)])
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn the_matrix() {
    let told = refusals(&[
        ("no matrix", &[("[matrix]\nshape = [\"narrow\", \"wide\"]\nrows = [1, 50, 1000]\n", "")]),
        ("missing axis", &[("rows = [1, 50, 1000]\n", "")]),
        ("unknown axis", &[("rows =", "row = [1]\nrows =")]),
        ("empty axis", &[("[1, 50, 1000]", "[]")]),
        ("repeated value", &[("[1, 50, 1000]", "[1, 50, 1]")]),
        ("number outside the domain", &[("[1, 50, 1000]", "[1, 51, 1000]")]),
        ("word outside the domain", &[("\"wide\"]", "\"tall\"]")]),
        ("word for a number", &[("[1, 50, 1000]", "[1, \"50\", 1000]")]),
        ("number outside a range", &[("rows =", "cpus = [0]\nrows =")]),
        ("exclude of an unknown axis", &[("rows = [", "exclude = [{ row = 1 }]\nrows = [")]),
        ("exclude of an unknown value", &[("rows = [", "exclude = [{ rows = [1, 999] }]\nrows = [")]),
        ("exclude of no value", &[("rows = [", "exclude = [{ rows = [] }]\nrows = [")]),
        (
            "exclude of everything",
            &[("rows = [", "exclude = [{ shape = \"narrow\" }, { shape = \"wide\" }]\nrows = [")],
        ),
        (
            "heavy that is excluded",
            &[("rows = [", "exclude = [{ rows = 1 }]\nheavy = [{ shape = \"wide\", rows = 1 }]\nrows = [")],
        ),
        (
            "cases that are excluded",
            &[("rows = [", "exclude = [{ rows = 1 }]\nrows = ["), ("rollback =", "cases = { rows = 1 }\nrollback =")],
        ),
        ("within_run of no axis", &[("rows = [", "within_run = [\"row\"]\nrows = [")]),
        ("within_run twice", &[("rows = [", "within_run = [\"rows\", \"rows\"]\nrows = [")]),
        ("within_run of cpus", &[("rows = [", "within_run = [\"cpus\"]\ncpus = [1, 2]\nrows = [")]),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn a_matrix_has_a_limit() {
    let probe = |count: usize, more: &str| {
        let works: Vec<String> = (1..=count).map(|work| work.to_string()).collect();
        let text = edited(&[
            ("\"dashboard\"", "\"probe\""),
            ("shape = [\"narrow\", \"wide\"]\nrows = [1, 50, 1000]", &format!("work = [{}]\n{more}", works.join(", "))),
            ("\"api-direct\"", "\"steady\""),
            ("\"native-v1\"", "\"steady\""),
            ("\"exact-values\"", "\"row-count\""),
        ]);
        match parse(&text) {
            Err(SpecError::Invalid { problems, .. }) => problems[0].message().to_owned(),
            other => format!("{} cases", other.expect("is accepted").gate.matrix.axes[0].values.len()),
        }
    };
    assert_eq!(probe(10_000, ""), "10000 cases");
    assert_eq!(probe(10_001, ""), "axis `work` has 10001 values");
    assert_eq!(probe(5_001, "cpus = [1, 2]"), "the matrix has 10002 combinations");
    // 30 axes of 30 values each are more combinations than a machine can count.
    let values: Vec<String> = (0..30).map(|value| value.to_string()).collect();
    let axes: Vec<String> = (0..30).map(|axis| format!("axis{axis} = [{}]\n", values.join(", "))).collect();
    let text = edited(&[("\"dashboard\"", "\"unknown\""), ("rows = [1", &format!("{}rows = [1", axes.concat()))]);
    let SpecError::Invalid { problems, .. } = parse(&text).expect_err("is too large") else { panic!() };
    assert!(problems.iter().any(|problem| problem.message().starts_with("the matrix has ")));
}

#[test]
fn profiles() {
    let told = refusals(&[
        (
            "no profile",
            &[("[profile.full]\ngrade = \"comparison\"\npairs = 12\nmin_time = \"500ms\"\nmin_samples = 100\n", "")],
        ),
        ("profile of a bad name", &[("[profile.full]", "[profile.\"full run\"]")]),
        ("no grade, no pairs", &[("grade = \"comparison\"\npairs = 12\n", "")]),
        ("unknown grade", &[("\"comparison\"", "\"compare\"")]),
        ("no pairs at all", &[("pairs = 12", "pairs = 0")]),
        ("negative pairs", &[("pairs = 12", "pairs = -3")]),
        ("too many pairs", &[("pairs = 12", "pairs = 1001")]),
        ("comparison of four pairs", &[("pairs = 12", "pairs = 4")]),
        ("no samples", &[("min_time = \"500ms\"\nmin_samples = 100", "samples = 0")]),
        ("neither time nor samples", &[("min_time = \"500ms\"\nmin_samples = 100\n", "")]),
        ("only min_samples", &[("min_time = \"500ms\"\n", "")]),
        ("both time and samples", &[("min_samples = 100", "samples = 100")]),
        ("min_samples beside samples", &[("min_time = \"500ms\"", "samples = 100")]),
        ("time without a unit", &[("\"500ms\"", "\"500\"")]),
        ("time of an unknown unit", &[("\"500ms\"", "\"500 msec\"")]),
        ("time of nothing", &[("\"500ms\"", "\"0s\"")]),
        ("negative time", &[("\"500ms\"", "\"-500ms\"")]),
        ("endless time", &[("\"500ms\"", "\"999999999999999h\"")]),
        ("time beyond a day", &[("\"500ms\"", "\"25h\"")]),
        ("time beyond the timeout", &[("min_time = \"500ms\"", "min_time = \"2m\"")]),
        (
            "warm-up beyond the timeout",
            &[("min_time = \"500ms\"\nmin_samples = 100", "samples = 100\nwarmup = \"10s\"\ntimeout = \"9.5s\"")],
        ),
        ("negative warm-up", &[("pairs = 12", "pairs = 12\nwarmup = -1")]),
        ("warm-up that is no count and no time", &[("pairs = 12", "pairs = 12\nwarmup = true")]),
        ("no memory", &[("pairs = 12", "pairs = 12\nmemory = \"0GiB\"")]),
        ("memory of half a unit", &[("pairs = 12", "pairs = 12\nmemory = \"8G\"")]),
        ("too much memory", &[("pairs = 12", "pairs = 12\nmemory = \"99999999TiB\"")]),
        ("no CPUs, no processes", &[("pairs = 12", "pairs = 12\ncpus = 0\nprocesses = 0")]),
        ("unknown order", &[("pairs = 12", "pairs = 12\norder = \"random\"")]),
        ("looks that do not ascend", &[("pairs = 12", "pairs = 12\nlooks = [6, 6]")]),
        ("a look beyond the pairs", &[("pairs = 12", "pairs = 12\nlooks = [6, 13]")]),
        ("a look at too few pairs", &[("pairs = 12", "pairs = 12\nlooks = [-4, 6]")]),
        ("no look", &[("pairs = 12", "pairs = 12\nlooks = []")]),
        ("a look that is no list", &[("pairs = 12", "pairs = 12\nlooks = 6")]),
        (
            "looks of preliminary evidence",
            &[("grade = \"comparison\"\npairs = 12", "grade = \"preliminary\"\npairs = 12\nlooks = [6]")],
        ),
        ("samples that can't resolve a percentile", &[("min_time = \"500ms\"\nmin_samples = 100", "samples = 19")]),
        (
            "samples that can't resolve p99",
            &[
                ("min_time = \"500ms\"\nmin_samples = 100", "samples = 99"),
                ("statistic = \"p95\"", "statistic = \"p99\""),
            ],
        ),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn the_analysis() {
    let with = |keys: &str| format!("[analysis]\n{keys}\n\n[[hypothesis]]");
    let cases = [
        ("no resamples", "resamples = 0"),
        ("too many resamples", "resamples = 1000001"),
        ("confidence in per cent", "confidence = 95"),
        ("confidence of a half", "confidence = 0.5"),
        ("confidence of one", "confidence = 1.0"),
        ("confidence that is no number", "confidence = nan"),
        ("confidence of five decimals", "confidence = 0.99999"),
        ("confidence of odd tails", "confidence = 0.9999"),
        (
            "unknown words",
            "estimator = \"mean\"\ninterval = \"two_sided\"\nmultiplicity = \"bonferroni\"\nquantile = \"nearest\"",
        ),
    ];
    let told: String =
        cases.iter().map(|(name, keys)| refusals(&[(name, &[("[[hypothesis]]", &with(keys))])])).collect();
    insta::assert_snapshot!(told);
}

#[test]
fn hypotheses() {
    let second = "[[hypothesis.guardrail]]\nmetric = \"cpu_time\"\nmax_ratio = 1.05\n\n[[hypothesis]]\nid = \"native\"\nclaim = \"x\"\nbaseline = { lane = \"api-direct\" }\ncandidate = { lane = \"native-v1\" }\nrollback = \"x\"\n\n[[hypothesis.correctness]]";
    let judgements = BASE.split_once("[[hypothesis.correctness]]").unwrap().1;
    let told = refusals(&[
        (
            "nothing that a hypothesis needs",
            &[
                ("id = \"native\"\nclaim = \"Native is faster\"\n", ""),
                (
                    "baseline = { lane = \"api-direct\" }\ncandidate = { lane = \"native-v1\" }\nrollback = \"remove it\"\n",
                    "",
                ),
            ],
        ),
        ("id with a space", &[("\"native\"", "\"native detail\"")]),
        ("duplicate id", &[("[[hypothesis.correctness]]", second)]),
        ("empty claim, blank rollback", &[("\"Native is faster\"", "\"\""), ("\"remove it\"", "\"\\t\"")]),
        ("unknown lane", &[("\"native-v1\"", "\"native-v2\"")]),
        ("side without a lane", &[("{ lane = \"native-v1\" }", "{ }")]),
        (
            "judges nothing",
            &[(judgements, ""), ("[[hypothesis.correctness]]", "[[hypothesis.report]]\nmetric = \"latency\"")],
        ),
        ("cases of an unknown axis", &[("rollback =", "cases = { clients = 1 }\nrollback =")]),
        ("cases of an unknown value", &[("rollback =", "cases = { rows = [50, 999] }\nrollback =")]),
        ("cases of the wrong type", &[("rollback =", "cases = { rows = \"50\" }\nrollback =")]),
        (
            "check beyond the hypothesis' cases",
            &[("rollback =", "cases = { rows = 50 }\nrollback ="), ("check =", "cases = { rows = 1000 }\ncheck =")],
        ),
        ("unknown check", &[("\"exact-values\"", "\"exact_value\"")]),
        ("no check", &[("check = \"exact-values\"\n", "")]),
        (
            "check twice",
            &[(
                "[[hypothesis.benefit]]",
                "[[hypothesis.correctness]]\ncheck = \"exact-values\"\n\n[[hypothesis.benefit]]",
            )],
        ),
        (
            "check plain and as a gap",
            &[(
                "[[hypothesis.benefit]]",
                "[[hypothesis.correctness]]\ncheck = \"exact-values\"\nknown_gap = \"rounds\"\ncases = { rows = 50 }\n\n[[hypothesis.benefit]]",
            )],
        ),
        ("known gap of nothing", &[("check =", "known_gap = \" \"\ncheck =")]),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn cases_that_a_lane_does_not_take() {
    let told = refusals(&[
        (
            "a visual that is no table",
            &[("[1, 50, 1000]", "[1, 50, 1000]\nvisual = [\"detail\", \"kpi\"]\nresponse = [\"json\"]")],
        ),
        ("a visual that is drawn from JSON", &[("[1, 50, 1000]", "[1, 50, 1000]\nvisual = [\"kpi\"]")]),
        (
            "a crowd for a piece",
            &[
                ("lane = \"native-v1\"", "lane = \"stage:decode-rows\""),
                ("[1, 50, 1000]", "[1, 50, 1000]\nclients = [10]"),
            ],
        ),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn budgets() {
    let again = |keys: &str| {
        format!("[[hypothesis.guardrail]]\nmetric = \"latency\"\nstatistic = \"p95\"\n{keys}\n\n[[hypothesis.report]]")
    };
    let told = refusals(&[
        ("unknown metric", &[("metric = \"latency\"", "metric = \"latncy\"")]),
        ("no metric", &[("metric = \"rust_heap_bytes\"\n", "")]),
        ("unknown statistic", &[("\"p95\"", "\"p96\"")]),
        ("statistic that a metric doesn't have", &[("metric = \"latency\"", "metric = \"cpu_time\"")]),
        ("value of a metric with samples", &[("\"p95\"", "\"value\"")]),
        (
            "percentile that the counted pass can't resolve",
            &[("metric = \"rust_heap_bytes\"", "metric = \"rust_heap_bytes\"\nstatistic = \"p95\"")],
        ),
        ("no bound", &[("max_ratio = 1.05\n", "")]),
        (
            "no bound on what is better when higher",
            &[("metric = \"rust_heap_bytes\"\nmax_ratio = 0.80", "metric = \"throughput\"")],
        ),
        ("two bounds", &[("max_ratio = 1.05", "max_ratio = 1.05\nmax = 1000000")]),
        ("upper bound on a gain", &[("metric = \"rust_heap_bytes\"", "metric = \"throughput\"")]),
        ("lower bound on a cost", &[("max_ratio = 1.05", "min_ratio = 0.95")]),
        (
            "absolute bounds against the direction",
            &[
                ("max_ratio = 1.05", "min = 1"),
                ("metric = \"rust_heap_bytes\"\nmax_ratio = 0.80", "metric = \"throughput\"\nmax = 100"),
            ],
        ),
        ("ratio of 0", &[("max_ratio = 1.05", "max_ratio = 0")]),
        ("negative ratio", &[("max_ratio = 1.05", "max_ratio = -1.0")]),
        ("ratio that is no number", &[("max_ratio = 1.05", "max_ratio = nan")]),
        ("infinite ratio", &[("max_ratio = 1.05", "max_ratio = inf")]),
        ("negative value", &[("max_ratio = 1.05", "max = -1")]),
        ("infinite value", &[("max_ratio = 1.05", "max = inf")]),
        ("duplicate budget", &[("[[hypothesis.report]]", &again("max_ratio = 1.10"))]),
        (
            "duplicate budget in other words",
            &[("[[hypothesis.report]]", &again("max_ratio = 1.10\ncases = { shape = [\"wide\", \"narrow\"] }"))],
        ),
        (
            "duplicate report",
            &[(
                "[[hypothesis.report]]",
                "[[hypothesis.report]]\nmetric = \"latency\"\nstatistic = \"p99\"\n\n[[hypothesis.report]]",
            )],
        ),
        ("benefit of nothing", &[("metric = \"rust_heap_bytes\"\nmax_ratio = 0.80\n", "")]),
        ("benefit of a budget and a check", &[("max_ratio = 0.80", "max_ratio = 0.80\ncheck = \"physical-types\"")]),
        (
            "benefit of an unknown check",
            &[("metric = \"rust_heap_bytes\"\nmax_ratio = 0.80", "check = \"physical-type\"")],
        ),
        (
            "capability twice",
            &[(
                "metric = \"rust_heap_bytes\"\nmax_ratio = 0.80",
                "check = \"physical-types\"\n[[hypothesis.benefit]]\ncheck = \"physical-types\"",
            )],
        ),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn waivers() {
    let waived = |keys: &str| format!("max_ratio = 1.05\nwaiver = {{ reason = \"x\", {keys} }}");
    let told = refusals(&[
        ("empty waiver", &[("max_ratio = 1.05", "max_ratio = 1.05\nwaiver = {}")]),
        (
            "no looser than the budget",
            &[("max_ratio = 1.05", &waived("approved_by = \"y\", bound = 1.05, until = \"2027-01-31\""))],
        ),
        (
            "tighter than a lower bound",
            &[(
                "metric = \"latency\"\nstatistic = \"p95\"\nmax_ratio = 1.05",
                "metric = \"throughput\"\nmin_ratio = 0.95\nwaiver = { reason = \"x\", approved_by = \"y\", bound = 0.97, until = \"2027-01-31\" }",
            )],
        ),
        (
            "infinite, by nobody",
            &[("max_ratio = 1.05", &waived("approved_by = \"\", bound = inf, until = \"2027-01-31\""))],
        ),
        (
            "until a day that isn't",
            &[("max_ratio = 1.05", &waived("approved_by = \"y\", bound = 1.1, until = \"2027-02-30\""))],
        ),
        ("until a word", &[("max_ratio = 1.05", &waived("approved_by = \"y\", bound = 1.1, until = \"next week\""))]),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn all_problems_at_once() {
    let text = edited(&[
        ("\"wide\"]", "\"tall\"]"),
        ("pairs = 12", "pairs = 0"),
        ("\"native-v1\"", "\"native\""),
        ("max_ratio = 0.80", "max_ratio = -0.80"),
        ("title =", "titel = 1\ntitle ="),
        ("check =", "chek = 1\ncheck ="),
    ]);
    let SpecError::Invalid { problems, file } = parse(&text).expect_err("is refused") else { panic!("a problem") };
    let found: Vec<_> = problems.iter().map(|problem| (file.line(problem.span().start), problem.message())).collect();
    assert_eq!(
        found,
        [
            (3, "unknown key `titel`"),
            (10, "axis `shape` can't be `\"tall\"`"),
            (15, "`pairs` can't be 0"),
            (23, "unknown lane `native`"),
            (27, "unknown key `chek`"),
            (32, "`max_ratio` can't be -0.8"),
        ]
    );
    let many: Vec<String> = (0..200).map(|number| format!("[surprise{number}]\n")).collect();
    let rendered = parse(&format!("{BASE}{}", many.concat())).expect_err("is refused").render(false);
    assert!(rendered.ends_with("and 30 problems more"), "{rendered}");
}

#[test]
fn of_many_strangers_some_are_told() {
    let rows: Vec<String> = (2..40).map(|rows| rows.to_string()).collect();
    let text = edited(&[("[1, 50, 1000]", &format!("[{}]", rows.join(", ")))]);
    let SpecError::Invalid { problems, .. } = parse(&text).expect_err("is refused") else { panic!("a problem") };
    assert_eq!(problems.len(), 10);
    let text = edited(&[("rollback =", &format!("cases = {{ rows = [{}] }}\nrollback =", rows.join(", ")))]);
    let SpecError::Invalid { problems, .. } = parse(&text).expect_err("is refused") else { panic!("a problem") };
    assert_eq!(problems.len(), 10);
}

#[test]
fn more_than_a_gate_can_hold() {
    let many = |count: usize, text: &str| text.repeat(count);
    let profiles: Vec<String> = (0..100)
        .map(|number| format!("[profile.p{number}]\ngrade = \"preliminary\"\npairs = 1\nsamples = 20\n"))
        .collect();
    let excludes = many(1_001, "{ rows = 1 }, ");
    let reports = many(200, "[[hypothesis.report]]\nmetric = \"latency\"\n");
    let hypotheses = many(100, "[[hypothesis]]\nid = \"x\"\n");
    for (what, edits) in [
        ("101 profiles", vec![("[profile.full]", format!("{}[profile.full]", profiles.concat()))]),
        ("`exclude` has 1001 selectors", vec![("rows =", format!("exclude = [{excludes}]\nrows ="))]),
        (
            "hypothesis with 201 tables `report`",
            vec![("[[hypothesis.report]]", format!("{reports}[[hypothesis.report]]"))],
        ),
        ("101 hypotheses", vec![("[[hypothesis]]", format!("{hypotheses}[[hypothesis]]"))]),
    ] {
        let edits: Vec<(&str, &str)> = edits.iter().map(|(from, to)| (*from, to.as_str())).collect();
        let error = parse(&edited(&edits)).expect_err(what);
        let SpecError::Invalid { problems, .. } = &error else { panic!("{error}") };
        assert!(problems.iter().any(|problem| problem.message() == what), "{}", error.render(false));
    }
}
