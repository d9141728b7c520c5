//! A store for results that outlives the page: strings by name, in the browser's database. What
//! cannot be stored or read is a [`StoreFault`]; the page says so and keeps it in memory.
//!
//! There is one connection. It closes when another tab deletes the database or changes its version,
//! and the next request opens it again.

use super::timers::Timeout;
use js_sys::{Array, Function, Promise, Reflect};
use lockstep_lab::StoreFault;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    IdbDatabase, IdbKeyRange, IdbObjectStore, IdbOpenDbRequest, IdbRequest, IdbTransaction, IdbTransactionMode,
};
use yew::Callback;

/// The name of the store in every browser that has used the page: it must not change.
const STORE: &str = "texts";

/// Milliseconds for which the page waits for the database: another tab may be deleting it.
const PATIENCE: u32 = 4_000;

thread_local! {
    /// The connection, while it is open.
    static CONNECTION: RefCell<Option<IdbDatabase>> = const { RefCell::new(None) };
    /// The promise of the connection, while it is being opened.
    static OPENING: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

/// A listener that is called at most once and then freed.
fn once(call: impl FnOnce() + 'static) -> Function {
    Closure::once_into_js(call).unchecked_into()
}

/// Opens the database, which others may still delete or change.
async fn open() -> Result<JsValue, JsValue> {
    let window = web_sys::window().ok_or(JsValue::NULL)?;
    let factory = window.indexed_db()?.ok_or(JsValue::NULL)?;
    let request: IdbOpenDbRequest = factory.open_with_u32("lockstep", 1)?;
    let asked = request.clone();
    request.set_onupgradeneeded(Some(&once(move || {
        if let Ok(database) = asked.result() {
            let _ = database.unchecked_into::<IdbDatabase>().create_object_store(STORE);
        }
    })));
    let opened = Promise::new(&mut |resolve, reject| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
    });
    let opened = JsFuture::from(opened).await;
    OPENING.set(None);
    if opened.is_err() {
        return Err(request.error().ok().flatten().map_or(JsValue::NULL, JsValue::from));
    }
    let database: IdbDatabase = request.result()?.unchecked_into();
    let asked = database.clone();
    database.set_onversionchange(Some(&once(move || {
        asked.close();
        CONNECTION.set(None);
    })));
    // the browser itself may close it: the reader has deleted the data of this page
    database.set_onclose(Some(&once(|| CONNECTION.set(None))));
    CONNECTION.set(Some(database.clone()));
    Ok(database.into())
}

/// A promise that is broken after [`PATIENCE`].
fn impatience() -> Promise {
    Promise::new(&mut |_, reject| {
        Timeout::new(PATIENCE, move || {
            let why = js_sys::Error::new("");
            why.set_name("TimeoutError");
            let _ = reject.call1(&JsValue::NULL, &why);
        })
        .forget();
    })
}

async fn database() -> Result<IdbDatabase, JsValue> {
    if let Some(open) = CONNECTION.with_borrow(Clone::clone) {
        return Ok(open);
    }
    let opening = OPENING.with_borrow(Clone::clone).unwrap_or_else(|| {
        let opening = wasm_bindgen_futures::future_to_promise(open());
        OPENING.set(Some(opening.clone()));
        opening
    });
    Ok(JsFuture::from(Promise::race(&Array::of2(&opening, &impatience()))).await?.unchecked_into())
}

async fn transaction(mode: IdbTransactionMode) -> Result<IdbTransaction, JsValue> {
    if let Ok(transaction) = database().await?.transaction_with_str_and_mode(STORE, mode) {
        return Ok(transaction);
    }
    CONNECTION.set(None); // it was closed in the meantime
    database().await?.transaction_with_str_and_mode(STORE, mode)
}

/// Makes requests of the store and waits until their transaction is complete: a request may succeed
/// and its transaction fail all the same, for example where there is no room.
async fn transact(
    mode: IdbTransactionMode,
    ask: impl Fn(&IdbObjectStore) -> Result<Vec<IdbRequest>, JsValue>,
) -> Result<Vec<JsValue>, StoreFault> {
    let work = async {
        let transaction = transaction(mode).await?;
        let done = Promise::new(&mut |resolve, reject| {
            transaction.set_oncomplete(Some(&resolve));
            transaction.set_onabort(Some(&reject));
        });
        let requests = ask(&transaction.object_store(STORE)?)?;
        if JsFuture::from(done).await.is_err() {
            return Err(transaction.error().map_or(JsValue::NULL, JsValue::from));
        }
        requests.iter().map(IdbRequest::result).collect::<Result<Vec<_>, JsValue>>()
    };
    work.await.map_err(|why| {
        let name = Reflect::get(&why, &"name".into()).ok().and_then(|name| name.as_string());
        StoreFault::named(&name.unwrap_or_default())
    })
}

/// Stores a text under a name; calls back once it is stored, or cannot be.
pub fn put(name: String, text: String, done: Callback<(String, String, Result<(), StoreFault>)>) {
    wasm_bindgen_futures::spawn_local(async move {
        let stored = transact(IdbTransactionMode::Readwrite, |store| {
            Ok(vec![store.put_with_key(&text.as_str().into(), &name.as_str().into())?])
        });
        let stored = stored.await.map(drop);
        done.emit((name, text, stored));
    });
}

fn beginning(with: &str) -> Result<IdbKeyRange, JsValue> {
    IdbKeyRange::bound(&with.into(), &format!("{with}\u{ffff}").into())
}

/// Strings that are read in one go: a task of the browser stays short.
const BATCH: u32 = 200;

fn strings(list: &JsValue) -> Vec<String> {
    Array::from(list).iter().filter_map(|v| v.as_string()).collect()
}

/// All names that begin with a prefix.
async fn names_of(with: &str) -> Result<Vec<String>, StoreFault> {
    let read = transact(IdbTransactionMode::Readonly, |store| {
        Ok(vec![store.get_all_keys_with_key(&beginning(with)?.into())?])
    });
    Ok(strings(&read.await?[0]))
}

/// Strings by their names, a batch of them, or the fault that ended it.
pub type StoredBatch = Result<Vec<(String, String)>, StoreFault>;

/// Reads all strings whose names begin with a prefix, with their names, in batches; an empty one is
/// the last.
pub fn all(with: String, batch: Callback<StoredBatch>) {
    wasm_bindgen_futures::spawn_local(async move {
        let names = match names_of(&with).await {
            Ok(names) => names,
            Err(fault) => return batch.emit(Err(fault)),
        };
        for names in names.chunks(BATCH as usize) {
            let (Some(first), Some(last)) = (names.first(), names.last()) else { continue };
            let read = transact(IdbTransactionMode::Readonly, |store| {
                let range = IdbKeyRange::bound(&first.as_str().into(), &last.as_str().into())?;
                Ok(vec![store.get_all_keys_with_key(&range)?, store.get_all_with_key(&range)?])
            });
            let read = read.await.map(|read| strings(&read[0]).into_iter().zip(strings(&read[1])).collect());
            let failed = read.is_err();
            batch.emit(read);
            if failed {
                return;
            }
        }
        batch.emit(Ok(Vec::new()));
    });
}

/// All names that begin with a prefix, with their strings where the name ends like this.
pub fn names(with: String, ending: &'static str, done: Callback<StoredBatch>) {
    wasm_bindgen_futures::spawn_local(async move {
        let work = async {
            let names = names_of(&with).await?;
            let wanted: Vec<&String> = names.iter().filter(|name| name.ends_with(ending)).collect();
            let read = transact(IdbTransactionMode::Readonly, |store| {
                wanted.iter().map(|name| store.get(&name.as_str().into())).collect()
            });
            let mut read = read.await?.into_iter();
            let string = |name: String| {
                let text = if name.ends_with(ending) { read.next().and_then(|v| v.as_string()) } else { None };
                (name, text.unwrap_or_default())
            };
            Ok(names.into_iter().map(string).collect())
        };
        done.emit(work.await);
    });
}

/// Deletes all strings whose names begin with a prefix.
pub fn forget(with: String, done: Callback<Result<(), StoreFault>>) {
    wasm_bindgen_futures::spawn_local(async move {
        let deleted =
            transact(IdbTransactionMode::Readwrite, |store| Ok(vec![store.delete(beginning(&with)?.as_ref())?]));
        let deleted = deleted.await.map(drop);
        done.emit(deleted);
    });
}
