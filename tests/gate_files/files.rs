//! Files that are missing, that are something else, and what their bytes are.

use std::fs;

use gate::spec::{self, Format, MAX_BYTES, SpecError};

use super::{BASE, accepted, as_json, edited, parse};

#[test]
fn files_that_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("empty.toml"), "").unwrap();
    fs::write(at("blank.toml"), "\u{feff} \n\t\n").unwrap();
    fs::write(at("latin.toml"), b"gate = 1\nname = \"caf\xe9\"\n").unwrap();
    fs::write(at("trial.toml"), BASE).unwrap();
    // What is too large is that first, and not UTF-8 second.
    fs::write(at("large.toml"), vec![0xff; usize::try_from(MAX_BYTES).unwrap() + 1]).unwrap();
    fs::create_dir(at("folder.toml")).unwrap();
    let names = [
        "missing.toml",
        "trail.toml",
        "folder.toml",
        "empty.toml",
        "blank.toml",
        "latin.toml",
        "large.toml",
        "no/such.toml",
    ];
    let told: Vec<String> = names
        .iter()
        .map(|name| {
            let error = spec::load(&at(name)).expect_err(name);
            format!("──── {name}\n{error}\n\n{}\n\n", error.render(false))
        })
        .collect();
    let told = told.concat().replace(&folder.path().display().to_string(), "gates");
    insta::assert_snapshot!(told);
    assert_eq!(spec::load(&at("trial.toml")).expect("is accepted").source.text(), BASE);
}

#[test]
fn the_examples_are_accepted_without_a_warning() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("gates/examples");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Programs of the examples stand in a folder.
        if path.is_dir() {
            continue;
        }
        let loaded = spec::load(&path).unwrap_or_else(|error| panic!("{}", error.render(false)));
        assert_eq!(loaded.render_warnings(false), Vec::<String>::new());
        seen += 1;
    }
    assert!(seen >= 5);
}

#[test]
fn a_file_of_the_largest_size_is_read() {
    let text = format!("{BASE}{}", "#".repeat(usize::try_from(MAX_BYTES).unwrap() - BASE.len()));
    assert!(parse(&text).is_ok());
    assert!(matches!(parse(&format!("{text}#")), Err(SpecError::TooLarge { .. })));
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("trial.toml");
    fs::write(&path, BASE).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Whoever runs this as root may read it all the same.
    if let Err(error) = spec::load(&path) {
        assert!(matches!(error, SpecError::Unreadable { .. }), "{error}");
    }
}

#[test]
fn a_byte_order_mark_moves_nothing() {
    let text = format!("\u{feff}{}", edited(&[("pairs = 12", "pairs = 0")]));
    let SpecError::Invalid { problems, .. } = parse(&text).expect_err("is refused") else { panic!("a problem") };
    assert_eq!(&text[problems[0].span()], "0");
    assert_eq!(parse(&format!("\u{feff}{BASE}")).expect("is accepted").source.text().len(), BASE.len() + 3);
    let json = format!("\u{feff}{}", as_json(BASE));
    assert!(spec::parse("trial.json", &json, Format::Json).is_ok());
}

#[test]
fn lines_may_end_as_on_windows() {
    let text = BASE.replace('\n', "\r\n");
    assert_eq!(parse(&text).expect("is accepted").gate, accepted(&[]).gate);
    let rendered = parse(&text.replace("pairs = 12", "pairs = 0")).expect_err("is refused").render(false);
    assert!(rendered.contains("gates/trial.toml:14:9") && !rendered.contains('\r'), "{rendered:?}");
}

#[test]
fn colour_is_optional() {
    let error = parse(&edited(&[("pairs = 12", "pairs = 0")])).expect_err("is refused");
    assert!(error.render(true).contains("\u{1b}["));
    assert!(!error.render(false).contains('\u{1b}'));
    let loaded = accepted(&[("\"api-direct\"", "\"native-v1\"")]);
    assert!(loaded.render_warnings(true)[0].contains("\u{1b}["));
    assert!(!loaded.render_warnings(false)[0].contains('\u{1b}'));
}
