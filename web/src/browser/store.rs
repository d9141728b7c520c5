//! A store for results that outlives the page: strings by name, in the browser's database. If the
//! browser refuses, results last as long as the page.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbKeyRange, IdbObjectStore, IdbOpenDbRequest, IdbRequest, IdbTransactionMode};
use yew::Callback;

/// The name of the store in every browser that has used the page: it must not change.
const STORE: &str = "texts";

/// The result of a request.
async fn result(request: &IdbRequest) -> Result<JsValue, JsValue> {
    let promise = js_sys::Promise::new(&mut |resolve, reject| {
        let asked = request.clone();
        let done = Closure::once_into_js(move || {
            let _ = resolve.call1(&JsValue::NULL, &asked.result().unwrap_or(JsValue::NULL));
        });
        request.set_onsuccess(Some(done.unchecked_ref()));
        request.set_onerror(Some(&reject));
    });
    JsFuture::from(promise).await
}

async fn database() -> Result<IdbDatabase, JsValue> {
    let window = web_sys::window().ok_or(JsValue::NULL)?;
    let factory = window.indexed_db()?.ok_or(JsValue::NULL)?;
    let request: IdbOpenDbRequest = factory.open_with_u32("lockstep", 1)?;
    let asked = request.clone();
    let upgrade = Closure::once_into_js(move || {
        if let Ok(database) = asked.result() {
            let _ = database.unchecked_into::<IdbDatabase>().create_object_store(STORE);
        }
    });
    request.set_onupgradeneeded(Some(upgrade.unchecked_ref()));
    Ok(result(&request).await?.unchecked_into())
}

async fn store(mode: IdbTransactionMode) -> Result<IdbObjectStore, JsValue> {
    database().await?.transaction_with_str_and_mode(STORE, mode)?.object_store(STORE)
}

/// Stores a text under a name; calls back if there is no room.
pub fn put(name: String, text: String, full: Callback<()>) {
    wasm_bindgen_futures::spawn_local(async move {
        let put = async {
            let request = store(IdbTransactionMode::Readwrite).await?.put_with_key(&text.into(), &name.into())?;
            result(&request).await
        };
        if put.await.is_err() {
            full.emit(());
        }
    });
}

fn beginning(with: &str) -> Result<IdbKeyRange, JsValue> {
    IdbKeyRange::bound(&with.into(), &format!("{with}\u{ffff}").into())
}

/// All strings whose names begin with a prefix, with their names.
pub fn all(with: String, done: Callback<Vec<(String, String)>>) {
    wasm_bindgen_futures::spawn_local(async move {
        let read = async {
            let store = store(IdbTransactionMode::Readonly).await?;
            let range = beginning(&with)?;
            let names = store.get_all_keys_with_key(&range)?;
            let values = store.get_all_with_key(&range)?;
            let (names, values) = (result(&names).await?, result(&values).await?);
            let strings =
                |list: JsValue| js_sys::Array::from(&list).iter().filter_map(|v| v.as_string()).collect::<Vec<_>>();
            Ok::<_, JsValue>(strings(names).into_iter().zip(strings(values)).collect())
        };
        done.emit(read.await.unwrap_or_default());
    });
}

/// Deletes all strings whose names begin with a prefix.
pub fn forget(with: String, done: Callback<()>) {
    wasm_bindgen_futures::spawn_local(async move {
        let delete = async {
            let request = store(IdbTransactionMode::Readwrite).await?.delete(beginning(&with)?.as_ref())?;
            result(&request).await
        };
        let _ = delete.await;
        done.emit(());
    });
}
