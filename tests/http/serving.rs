//! The server itself: where it listens, what it says, what it cuts off, and what is left when all have gone.

use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use gate::fixture::Shape;
use gate::measure::clock;
use gate::workload::dashboard::engine::{Capacity, Engine, Table};
use gate::workload::dashboard::error::QueryError;
use gate::workload::dashboard::expect;
use gate::workload::dashboard::governor::{ANALYST, GUEST};
use gate::workload::dashboard::http::client::{Client, Manner};
use gate::workload::dashboard::http::raw::Raw;
use gate::workload::dashboard::http::scenario::{BLOCKS, FREE};
use gate::workload::dashboard::http::server::{Options, SLOW_CONSUMER, Server};
use gate::workload::dashboard::lane::Lane;
use gate::workload::dashboard::request::{Filter, Identity, Request};
use gate::workload::dashboard::trace::Trace;

use super::{SETUP, detail};

const LONG: Duration = Duration::from_mins(1);

fn engine(shape: Shape, rows: u32) -> Arc<Engine> {
    let capacity = Capacity { connections: 2, ..Capacity::default() };
    Arc::new(Engine::open(Table { shape, rows }, &SETUP, capacity).unwrap())
}

fn serve(shape: Shape, rows: u32, slow_consumer: Duration) -> Server {
    Server::start(engine(shape, rows), Options { slow_consumer, ..Options::default() }).unwrap()
}

fn native() -> Lane {
    Lane::named("native-v1").unwrap()
}

fn request(shape: Shape, rows: u32, correlation: &str) -> Request {
    let request = detail(shape, rows).request(ANALYST);
    Request { identity: Identity { correlation: correlation.to_owned(), ..request.identity.clone() }, ..request }
}

#[test]
fn it_listens_on_loopback_alone_and_a_taken_port_is_named() {
    let engine = engine(Shape::Narrow, 1);
    let server = Server::start(Arc::clone(&engine), Options::default()).unwrap();
    assert!(server.address().ip().is_loopback());
    // By any other name of this machine there is nobody.
    let routed = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    if routed.connect("192.0.2.1:9").is_ok() {
        let other = routed.local_addr().unwrap().ip();
        if !other.is_loopback() && !other.is_unspecified() {
            assert!(TcpStream::connect((other, server.address().port())).is_err(), "it listens on {other}");
        }
    }
    let options = Options { port: server.address().port(), ..Options::default() };
    let message = Server::start(engine, options).err().unwrap().to_string();
    let expected = format!("listen on {}: ", server.address());
    assert!(message.starts_with(&expected), "{message}");
    assert!(message.ends_with("choose another port, or 0 for any that is free"), "{message}");
    // What the kernel gives is more than what was asked for, and is known.
    assert!((1_024..BLOCKS).contains(&server.send_buffer()), "{}", server.send_buffer());
}

#[test]
fn a_whole_answer_says_so_behind_its_last_byte() {
    let server = serve(Shape::Narrow, 50, LONG);
    let mut client = Client::connect(server.address(), Manner::default()).unwrap();
    let whole = client.ask(native(), &request(Shape::Narrow, 50, "whole")).unwrap();
    assert_eq!((whole.whole().unwrap(), whole.cursor(), whole.snapshot), (50, None, Some(1)));
    let finished = server.finished(FREE).unwrap();
    assert_eq!((finished.correlation.as_str(), finished.outcome.unwrap().rows), ("whole", 50));
    // The native lane knows behind its last row that there are more; the existing one before its first.
    let page = Request { limit: 20, ..request(Shape::Narrow, 50, "page") };
    let full = client.ask(native(), &page).unwrap();
    assert_eq!((full.whole().unwrap(), &full.head_cursor, full.trailing_cursor.is_some()), (20, &None, true));
    let direct = client.ask(Lane::named("api-direct").unwrap(), &page).unwrap();
    assert_eq!((direct.whole().unwrap(), direct.head_cursor.is_some(), &direct.trailing_cursor), (20, true, &None));
    // Either leads on to the second page.
    for cursor in [full.trailing_cursor, direct.head_cursor] {
        let next = client.ask(native(), &Request { cursor, ..page.clone() }).unwrap();
        assert_eq!(next.whole().unwrap(), 20);
    }
    let denied = client.ask(native(), &detail(Shape::Narrow, 50).request(GUEST)).unwrap();
    let message = denied.whole().unwrap_err().to_string();
    assert!(message.starts_with("the server answered 403: {\"error\":"), "{message}");
    assert!(!denied.is_complete && denied.rows.is_none());
    server.settle(FREE).unwrap();
}

#[test]
fn all_of_it_goes_over_one_connection() {
    let server = serve(Shape::Narrow, 50, LONG);
    let mut client = Client::connect(server.address(), Manner::default()).unwrap();
    for (method, path, status) in
        [("POST", "/", 404), ("PUT", "/v1/dashboard/native-v1", 405), ("POST", "/v1/dashboard/native-v1", 400)]
    {
        assert_eq!(client.send(method, path, b"no".to_vec()).unwrap().status, status);
    }
    assert_eq!(client.ask(native(), &request(Shape::Narrow, 50, "last")).unwrap().whole().unwrap(), 50);
}

#[test]
fn who_never_reads_is_cut_off_even_at_the_end_of_an_answer() {
    for (shape, rows) in [(Shape::Wide, 999), (Shape::Narrow, 999)] {
        let server = serve(shape, rows, SLOW_CONSUMER);
        let mut raw = Raw::connect(server.address()).unwrap();
        raw.ask(native(), &request(shape, rows, "never-reads")).unwrap();
        let begin = clock::now();
        while server.cut() == 0 {
            assert!(begin.elapsed() < SLOW_CONSUMER + FREE, "nobody was cut off");
            std::thread::sleep(Duration::from_millis(5));
        }
        server.settle(FREE).unwrap();
        assert_eq!(raw.rest(FREE).unwrap().trailers, None);
    }
    // What the last answer's buffers hold is watched too, once its lane has long been done.
    let server = serve(Shape::Narrow, 50, SLOW_CONSUMER);
    let mut raw = Raw::connect(server.address()).unwrap();
    raw.ask(native(), &request(Shape::Narrow, 50, "small")).unwrap();
    server.finished(FREE).unwrap().outcome.unwrap();
    let begin = clock::now();
    while server.cut() == 0 {
        assert!(begin.elapsed() < SLOW_CONSUMER + FREE, "nobody was cut off");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(raw.rest(FREE).unwrap().trailers, None);
}

#[test]
fn an_interrupt_never_hits_who_asks_next_on_the_same_connection() {
    let server = serve(Shape::Narrow, 50, LONG);
    // One connection is left, so that every request gets the same.
    let held = server.engine().connect(&mut Trace::default()).unwrap();
    let mut client = Client::connect(server.address(), Manner::default()).unwrap();
    for round in 0..20 {
        let mut raw = Raw::connect(server.address()).unwrap();
        let endless = request(Shape::Narrow, 50, &format!("leaves-{round}"));
        raw.ask(native(), &Request { filter: Filter::Endless, ..endless }).unwrap();
        // From before its query to well into it.
        std::thread::sleep(Duration::from_millis(round));
        drop(raw);
        let next = client.ask(native(), &request(Shape::Narrow, 50, "next")).unwrap();
        assert_eq!(next.whole().unwrap(), 50, "round {round}");
    }
    drop(held);
    server.settle(FREE).unwrap();
}

#[test]
fn who_leaves_while_waiting_waits_no_longer() {
    let server = serve(Shape::Narrow, 50, LONG);
    let held = [(); 2].map(|()| server.engine().connect(&mut Trace::default()).unwrap());
    for lane in ["native-v1", "api-direct", "dashboard-cold"] {
        let mut raw = Raw::connect(server.address()).unwrap();
        raw.ask(Lane::named(lane).unwrap(), &request(Shape::Narrow, 50, lane)).unwrap();
        let begin = clock::now();
        while server.engine().admission.inside() == 0 {
            assert!(begin.elapsed() < FREE);
            std::thread::yield_now();
        }
        drop(raw);
        server.wait(0, FREE).unwrap();
        assert_eq!(server.engine().admission.inside(), 0);
        assert!(matches!(server.finished(FREE).unwrap().outcome, Err(QueryError::Client(_))));
    }
    drop(held);
    server.settle(FREE).unwrap();
}

#[test]
fn a_server_that_is_dropped_takes_its_clients_and_their_queries_along() {
    let server = serve(Shape::Wide, 10_000, LONG);
    let engine = Arc::clone(server.engine());
    let mut blocked = Raw::connect(server.address()).unwrap();
    blocked.ask(native(), &request(Shape::Wide, 10_000, "blocked")).unwrap();
    let mut endless = Raw::connect(server.address()).unwrap();
    let forever = Request { filter: Filter::Endless, ..request(Shape::Wide, 10_000, "endless") };
    endless.ask(native(), &forever).unwrap();
    server.wait_until_blocked(1, FREE).unwrap();
    let (address, begin) = (server.address(), clock::now());
    drop(server);
    assert!(begin.elapsed() < 3 * FREE, "{:?}", begin.elapsed());
    expect::nothing_left(&engine).unwrap();
    assert!(TcpStream::connect(address).is_err());
    assert_eq!(blocked.rest(FREE).unwrap().trailers, None);
}

/// The next of a fixed sequence of numbers that look random.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn nothing_is_left_of_200_requests_of_which_some_leave() {
    const REQUESTS: u64 = 200;
    let lanes = ["native-v1", "api-direct", "dashboard-warm", "dashboard-cold", "ordered-frame"];
    let server = serve(Shape::Narrow, 2_501, LONG);
    let begin = clock::now();
    let answered: u64 = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                let server = &server;
                scope.spawn(move || {
                    let mut state = 544 + worker;
                    let mut client = Client::connect(server.address(), Manner::default()).unwrap();
                    let mut answered = 0;
                    for number in 0..REQUESTS / 4 {
                        let lane =
                            Lane::named(lanes[usize::try_from(next(&mut state)).unwrap() % lanes.len()]).unwrap();
                        let asked = request(Shape::Narrow, 2_501, &format!("{worker}-{number}"));
                        let patience = Duration::from_millis(next(&mut state) % 8);
                        match next(&mut state) % 4 {
                            0 => {
                                let mut raw = Raw::connect(server.address()).unwrap();
                                raw.ask(lane, &asked).unwrap();
                                std::thread::sleep(patience);
                            }
                            1 => {
                                let mut raw = Raw::connect(server.address()).unwrap();
                                raw.ask(lane, &Request { filter: Filter::Endless, ..asked }).unwrap();
                                std::thread::sleep(patience);
                            }
                            2 => {
                                let mut raw = Raw::connect(server.address()).unwrap();
                                raw.ask(lane, &asked).unwrap();
                                raw.first_byte(LONG).unwrap();
                            }
                            _ => {
                                assert_eq!(client.ask(lane, &asked).unwrap().whole().unwrap(), 2_501);
                                answered += 1;
                            }
                        }
                    }
                    answered
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    server.settle(FREE).unwrap();
    expect::nothing_left(server.engine()).unwrap();
    assert!(begin.elapsed() < LONG, "{:?}", begin.elapsed());
    let mut whole = 0;
    let mut told = 0;
    while let Ok(finished) = server.finished(Duration::ZERO) {
        told += 1;
        whole += u64::from(finished.outcome.is_ok());
    }
    // Who left before the request was read was never handled; who was answered was.
    assert!(told <= REQUESTS && whole >= answered && answered > 0, "{told} told, {whole} whole, {answered} answered");
}
