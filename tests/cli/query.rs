//! SQL over evidence: `gate query` and `gate export`.

use std::fs;
use std::path::{Path, PathBuf};

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::command;
use crate::gate::{Answer, Bench, gate};

/// The committed campaigns, as a shell's `*` names them: with the ledgers beside them.
fn committed() -> Vec<String> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let gates = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference"));
    let all = gates.iter().flat_map(|gate| entries(gate));
    all.map(|path| path.to_str().unwrap().to_owned()).collect()
}

/// One of them.
fn one() -> String {
    committed().into_iter().find(|path| path.contains("dashboard-http/2")).unwrap()
}

fn query(campaigns: &[String], sql: &str, format: &str) -> Answer {
    let arguments = ["query", sql, "--format", format].map(str::to_owned);
    gate(&[&arguments[..1], campaigns, &arguments[1..]].concat())
}

fn rows(campaigns: &[String], sql: &str) -> Vec<serde_json::Value> {
    let answer = query(campaigns, sql, "json");
    assert_eq!(answer.code, 0, "{sql}: {answer:?}");
    answer.json().as_array().unwrap().clone()
}

/// Copies a committed campaign to `folder`.
fn copied(folder: &Path) -> PathBuf {
    let from = PathBuf::from(one());
    let to = folder.join(from.file_name().unwrap());
    fs::create_dir_all(to.join("runs")).unwrap();
    for part in ["", "runs"] {
        for entry in fs::read_dir(from.join(part)).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), to.join(part).join(entry.file_name())).unwrap();
            }
        }
    }
    to
}

#[test]
fn committed_evidence_is_there_whole() {
    let all = committed();
    let verdicts = rows(&all, "SELECT gate, verdict FROM verdicts ORDER BY gate");
    let expected = [
        ("concurrency", "revise"),
        ("controls", "revise"),
        ("frame", "proceed"),
        ("http", "proceed"),
        ("native", "proceed"),
        ("serializer", "proceed"),
        ("warm", "reject"),
    ];
    for (gate, verdict) in expected {
        let of = |row: &&serde_json::Value| row["gate"] == format!("dashboard-{gate}");
        let mut found = verdicts.iter().filter(of).map(|row| row["verdict"].as_str().unwrap()).peekable();
        assert!(found.peek().is_some() && found.any(|one| one == verdict), "{gate}: {verdicts:?}");
    }
    // Every run has its samples, and each view its rows.
    let counts = rows(
        &all,
        "SELECT (SELECT count(*) FROM samples) AS samples, (SELECT sum(samples) FROM runs) AS told,
            (SELECT count(DISTINCT (campaign, run)) FROM samples) AS runs,
            (SELECT count(sha256) FROM runs) AS files, (SELECT count(*) FROM plan) AS campaigns,
            (SELECT count(*) FROM warnings WHERE text IS NULL OR kind IS NULL) AS mute",
    );
    let count = |name: &str| counts[0][name].as_u64().unwrap_or_else(|| panic!("{name}: {counts:?}"));
    assert!(count("samples") > 100_000 && count("samples") == count("told"), "{counts:?}");
    assert_eq!((count("runs"), count("campaigns"), count("mute")), (count("files"), 7, 0));
    assert_eq!(query(&all, "SELECT 1", "csv").stderr.matches("passed over").count(), 7);
}

#[test]
fn the_samples_give_the_medians_of_the_budgets() {
    let sql = "
        WITH per_run AS (
            SELECT campaign, case_name, lane, side, metric, run,
                quantile_disc(value, 0.5) AS p50, quantile_disc(value, 0.95) AS p95, max(value) AS most
            FROM samples GROUP BY ALL),
        per_side AS (
            SELECT campaign, case_name, lane, side, metric, median(p50) AS p50, median(p95) AS p95, median(most) AS most
            FROM per_run GROUP BY ALL)
        SELECT count(*) AS budgets, count(*) FILTER (b.candidate =
            CASE b.statistic WHEN 'p50' THEN s.p50 WHEN 'p95' THEN s.p95 ELSE s.most END) AS same
        FROM budgets b JOIN verdicts v USING (campaign, hypothesis)
        JOIN per_side s ON s.campaign = b.campaign AND s.case_name = b.case_name AND s.metric = b.metric
            AND s.lane = v.candidate AND s.side = 'candidate'
        WHERE b.bound_kind LIKE '%ratio' AND NOT b.exact AND b.statistic IN ('p50', 'p95', 'max')";
    let row = &rows(&committed(), sql)[0];
    assert!(row["budgets"].as_u64().unwrap() > 80, "{row}");
    assert_eq!(row["budgets"], row["same"]);
}

#[test]
fn axes_are_columns_and_every_column_can_be_named() {
    let row = &rows(
        &[one()],
        "SELECT shape, rows, case_name, typeof(rows) AS kind FROM samples WHERE metric = 'latency' AND rows > 50 LIMIT 1",
    )[0];
    assert_eq!(row["kind"], "BIGINT");
    assert!(row["case_name"].as_str().unwrap().contains(&format!("rows={}", row["rows"])), "{row}");
    for view in gate::query::VIEWS {
        let names: Vec<&str> = view.columns.iter().map(|column| column.name).collect();
        let described = rows(&[one()], &format!("DESCRIBE SELECT {} FROM {}", names.join(", "), view.name));
        let found: Vec<(&str, &str)> = described
            .iter()
            .map(|row| (row["column_name"].as_str().unwrap(), row["column_type"].as_str().unwrap()))
            .collect();
        let expected: Vec<(&str, &str)> = view.columns.iter().map(|column| (column.name, column.kind.sql())).collect();
        assert_eq!(found, expected, "{}", view.name);
    }
}

#[test]
fn moments_with_a_zone_are_shown() {
    let sql = "SELECT TIMESTAMPTZ '2026-12-03 01:02:03+00' AS at";
    for (format, expected) in [
        ("csv", "at\n2026-12-03T01:02:03Z\n"),
        ("json", "[\n  {\"at\":\"2026-12-03T01:02:03Z\"}\n]\n"),
        ("terminal", "at\n2026-12-03T01:02:03Z\n"),
    ] {
        let answer = query(&[one()], sql, format);
        assert_eq!((answer.code, answer.stdout.as_str()), (0, expected), "{format}: {answer:?}");
    }
}

#[test]
fn whole_numbers_stay_whole_and_null_is_null() {
    let sql = "SELECT sum(whole) AS sum, min(whole) AS least, NULL AS none, 9007199254740993 AS large
        FROM samples WHERE metric = 'latency'";
    let row = &rows(&[one()], sql)[0];
    assert!(row["sum"].is_u64() && row["least"].is_u64() && row["none"].is_null(), "{row}");
    assert_eq!(row["large"], 9_007_199_254_740_993_u64);
    assert_eq!(query(&[one()], "SELECT 1 AS a, NULL AS b, '' AS c", "csv").stdout, "a,b,c\n1,,\"\"\n");
    assert_eq!(query(&[one()], "SELECT 1 AS a, NULL AS b", "terminal").stdout, "a  b\n1  –\n");
    assert!(rows(&[one()], "FROM samples WHERE false").is_empty());
}

#[test]
fn nothing_but_the_views_is_reached() {
    let bench = Bench::new();
    bench.file("secret.csv", "secret,column\n1,2\n");
    let campaign = one();
    let before = fs::read_dir(bench.path(".")).unwrap().count();
    for sql in [
        // Statements that do not read.
        "COPY samples TO 'out.csv'",
        "COPY (SELECT 1) TO '/dev/stdout'",
        "EXPORT DATABASE 'out'",
        "IMPORT DATABASE 'out'",
        "ATTACH 'out.db' AS other",
        "ATTACH ':memory:' AS other",
        "DETACH memory",
        "USE other",
        "INSTALL httpfs",
        "FORCE INSTALL httpfs",
        "LOAD httpfs",
        "LOAD '/tmp/x.duckdb_extension'",
        "UPDATE EXTENSIONS",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET GLOBAL temp_directory = '/tmp'",
        "RESET enable_external_access",
        "PRAGMA enable_external_access = true",
        "PRAGMA profiling_output = 'out.json'",
        "CREATE TABLE t AS SELECT 1",
        "CREATE OR REPLACE VIEW verdicts AS SELECT 1",
        "CREATE SECRET s (TYPE s3)",
        "CREATE MACRO f(x) AS x",
        "DROP VIEW samples",
        "ALTER VIEW samples RENAME TO others",
        "INSERT INTO samples VALUES (1)",
        "UPDATE samples SET value = 0",
        "DELETE FROM samples",
        "TRUNCATE samples",
        "WITH x AS (INSERT INTO plan VALUES (1) RETURNING *) FROM x",
        "CALL enable_logging(storage_path := 'out.log')",
        "CHECKPOINT",
        "VACUUM",
        "BEGIN",
        "PREPARE p AS SELECT 1",
        "EXECUTE p",
        "EXPLAIN ANALYZE SELECT 1",
        // Several.
        "SELECT 1; SELECT 2",
        "SELECT 1; COPY (SELECT 1) TO 'out.csv'",
        "COPY (SELECT 1) TO 'out.csv'; SELECT 1",
        "SELECT 1) TO 'out.csv'; SELECT (1",
        "SELECT ''; COPY (SELECT 1) TO 'out.csv' --'",
        "",
        "/* nothing */",
        "PIVOT budgets ON role USING count(*)",
        // Functions that would reach files, networks, the environment or memory.
        "FROM read_csv('secret.csv')",
        "FROM read_csv_auto('secret.csv')",
        "FROM 'secret.csv'",
        "FROM \"secret.csv\"",
        "FROM '/etc/passwd'",
        "FROM read_text('secret.csv')",
        "FROM read_blob('secret.csv')",
        "FROM read_json('secret.csv')",
        "FROM read_parquet('secret.csv')",
        "FROM parquet_metadata('secret.csv')",
        "FROM sniff_csv('secret.csv')",
        "FROM glob('*')",
        "FROM system.main.glob('*')",
        "FROM query_table('secret.csv')",
        "FROM query('FROM ''secret.csv''')",
        "FROM query('COPY (SELECT 1) TO ''out.csv''')",
        "SELECT (SELECT count(*) FROM read_text('secret.csv'))",
        "FROM 'http://127.0.0.1:9/secret.csv'",
        "FROM 's3://bucket/secret.parquet'",
        "FROM read_duckdb('out.db')",
        "FROM sqlite_scan('out.db', 't')",
        "FROM st_read('secret.csv')",
        "SELECT getenv('PATH')",
        "SELECT getvariable('x'), load_extension('x')",
        "FROM enable_logging(storage_path := 'out.log')",
        "FROM enable_profiling(save_location := 'out.json', format := 'json')",
        "FROM create_external_resource('x')",
        "FROM duckdb_extensions()",
        "FROM duckdb_secrets()",
        "FROM which_secret('x', 's3')",
        "FROM arrow_scan()",
        "FROM arrow_scan(1, 2, 3)",
        "FROM arrow_scan(NULL, NULL, NULL)",
        "FROM arrow_scan(1::POINTER, 2::POINTER, 3::POINTER)",
        "FROM arrow_scan_dumb(1, 2, 3)",
        "FROM seq_scan(1)",
        "FROM gate_scan(99)",
        "FROM gate_scan(NULL)",
    ] {
        let answer = bench.here(&["query", &campaign, sql, "--format", "csv"]);
        assert_eq!(answer.code, 2, "{sql}: {answer:?}");
        assert!(!answer.stdout.contains("secret") && !answer.stderr.contains("secret,column"), "{sql}: {answer:?}");
        assert!(answer.stderr.starts_with("error: query: "), "{sql}: {answer:?}");
        assert_eq!(fs::read_dir(bench.path(".")).unwrap().count(), before, "{sql}");
    }
}

#[test]
fn the_database_is_shut_and_locked() {
    let settings = "SELECT current_setting('enable_external_access') AS reach, current_setting('lock_configuration') AS locked,
        current_setting('autoload_known_extensions') AS load, current_setting('autoinstall_known_extensions') AS install,
        current_setting('temp_directory') AS spill";
    let row = &rows(&[one()], settings)[0];
    let expected = serde_json::json!({"reach": false, "locked": true, "load": false, "install": false, "spill": ""});
    assert_eq!(*row, expected);
}

#[test]
fn an_error_tells_what_there_is() {
    for (sql, says) in [
        ("SELECT valu FROM samples", "valu"),
        ("FROM sample", "sample"),
        ("SELEC 1", "syntax"),
        ("SELECT 'x'::INTEGER", "Conversion"),
    ] {
        let answer = query(&[one()], sql, "terminal");
        assert_eq!(answer.code, 2, "{sql}: {answer:?}");
        let is_told = answer.stderr.contains(says) && answer.stderr.contains("\n  samples: campaign, gate, run,");
        assert!(is_told && answer.stderr.contains("\n  verdicts: "), "{sql}: {}", answer.stderr);
    }
    let help = gate(&["query", "--help"]).stdout;
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    for view in gate::query::VIEWS {
        assert!(help.contains(view.about) && readme.contains(&format!("| `{}` |", view.name)), "{}", view.name);
        for column in view.columns {
            assert!(help.contains(column.about), "{}", column.name);
        }
    }
}

#[test]
fn what_was_changed_or_is_not_finished_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let campaign = copied(folder.path());
    let names = [campaign.to_str().unwrap().to_owned()];
    assert_eq!(rows(&names, "FROM plan").len(), 1);
    let refused = |sql: &str, says: &str| {
        let answer = query(&names, sql, "csv");
        assert_eq!(answer.code, 1, "{sql}: {answer:?}");
        assert!(answer.stderr.contains(says) && answer.stdout.is_empty(), "{sql}: {answer:?}");
    };
    let with = |file: &str, change: fn(Vec<u8>) -> Vec<u8>, sql: &str, says: &str| {
        let path = campaign.join(file);
        let kept = fs::read(&path).unwrap();
        fs::write(&path, change(kept.clone())).unwrap();
        refused(sql, says);
        fs::write(&path, kept).unwrap();
    };
    let run = fs::read_dir(campaign.join("runs")).unwrap().next().unwrap().unwrap().file_name();
    let run = format!("runs/{}", run.to_str().unwrap());
    let flip = |mut bytes: Vec<u8>| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        bytes
    };
    with(&run, flip, "SELECT 1", &run);
    with("journal.jsonl", flip, "SELECT 1", "journal.jsonl");
    let title = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replacen("real sockets", "sockets", 1).into_bytes();
    with("plan.json", title, "FROM plan", "another plan");
    let proceed = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace("\"proceed\"", "\"reject\"").into_bytes();
    with("verdict.json", proceed, "FROM verdicts", "verdict.json");
    let pass = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replacen("\"pass\"", "\"fail\"", 1).into_bytes();
    with("analysis.json", pass, "FROM budgets", "analysis.json");
    let torn = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        text.as_bytes()[..=text.trim_end().rfind('\n').unwrap()].to_vec()
    };
    with("journal.jsonl", torn, "SELECT 1", "has not ended");
    // Two of one name would be mixed up; the same folder twice is one.
    let twice = [names[0].clone(), one()];
    let answer = query(&twice, "FROM plan", "csv");
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("both are called"), "{answer:?}");
    assert_eq!(rows(&[names[0].clone(), format!("{}/", names[0])], "FROM plan").len(), 1);
    fs::remove_file(campaign.join(&run)).unwrap();
    refused("SELECT 1", &run);
    let nothing = gate(&["query", "no-such-gate", "SELECT 1"]);
    assert_eq!(nothing.code, 2, "{nothing:?}");
}

#[test]
fn benches_that_programs_report_are_an_axis() {
    let bench = Bench::new();
    let script = "echo BenchmarkA 1 10 ns/op 3 widgets; echo BenchmarkB 1 7.5 ns/op";
    bench.file(
        "two.toml",
        &command::gate(script, script, "output = \"go\"", "grade = \"comparison\"\npairs = 5\nsamples = 2")
            .replace("[[hypothesis.report]]\nmetric = \"startup_time\"", ""),
    );
    let run = bench.here(&["run", "two.toml"]);
    assert!([0, 11].contains(&run.code), "{run:?}");
    let sql = "SELECT bench, metric, unit, pass, count(*) AS n, max(operation) AS last, median(value) AS value, max(whole) AS whole
        FROM samples WHERE bench IS NOT NULL GROUP BY ALL ORDER BY bench, metric";
    let answer = bench.here(&["query", "two", sql, "--format", "csv"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stdout.contains("A,latency,nanoseconds,reported,20,1,10.0,"), "{}", answer.stdout);
    assert!(answer.stdout.contains("B,latency,nanoseconds,reported,20,1,7.5,"), "{}", answer.stdout);
}

#[test]
fn an_export_appears_whole_or_not_at_all_and_overwrites_nothing() {
    let bench = Bench::new();
    let campaign = one();
    let count = rows(&[one()], "SELECT count(*) AS n, sum(whole) AS sum FROM samples")[0].clone();
    let export =
        |format: &str, output: &str| bench.here(&["export", &campaign, "--format", format, "--output", output]);
    for format in ["parquet", "csv", "jsonl"] {
        let name = format!("out.{format}");
        let answer = export(format, &name);
        assert_eq!(answer.code, 0, "{answer:?}");
        assert!(answer.stdout.is_empty() && answer.stderr.contains(&name), "{answer:?}");
        let before = fs::read(bench.path(&name)).unwrap();
        let again = export(format, &name);
        assert_eq!(again.code, 2, "{again:?}");
        assert!(again.stderr.contains("nothing is overwritten"), "{again:?}");
        assert_eq!(fs::read(bench.path(&name)).unwrap(), before);
    }
    let file = fs::File::open(bench.path("out.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let read: usize = reader.map(|batch| batch.unwrap().num_rows()).sum();
    let lines = |name: &str| fs::read_to_string(bench.path(name)).unwrap().lines().count();
    assert_eq!(count["n"], read);
    assert_eq!((lines("out.csv"), lines("out.jsonl")), (read + 1, read));
    let text = fs::read_to_string(bench.path("out.jsonl")).unwrap();
    let sum: u64 = text
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["whole"].as_u64())
        .sum();
    assert_eq!(count["sum"], sum);
    // Another view, to stdout.
    let verdicts = bench.here(&["export", &campaign, "--format", "jsonl", "--view", "verdicts"]);
    assert!(verdicts.stdout.contains("\"verdict\":\"proceed\""), "{verdicts:?}");

    let before = fs::read_dir(bench.path(".")).unwrap().count();
    for (arguments, code, says) in [
        (&["export", &campaign, "--format", "parquet"][..], 2, "--output"),
        (&["export", &campaign, "--format", "csv", "--view", "none"], 2, "verdicts"),
        (&["export", &campaign, "--format", "csv", "--output", "nowhere/out.csv"], 1, "its folder must be there"),
        (&["export", "none", "--format", "csv", "--output", "none.csv"], 2, "none"),
    ] {
        let answer = bench.here(arguments);
        assert_eq!(answer.code, code, "{answer:?}");
        assert!(answer.stderr.contains(says), "{answer:?}");
    }
    let broken = copied(&bench.path("broken"));
    let analysis = fs::read_to_string(broken.join("analysis.json")).unwrap();
    fs::write(broken.join("analysis.json"), analysis.replacen("\"pass\"", "\"fail\"", 1)).unwrap();
    let refused = bench.here(&[
        "export",
        broken.to_str().unwrap(),
        "--view",
        "budgets",
        "--format",
        "csv",
        "--output",
        "new.csv",
    ]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert_eq!(fs::read_dir(bench.path(".")).unwrap().count(), before + 1, "only the broken campaign is new");
}
