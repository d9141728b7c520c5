//! Files: saving them for the reader, and reading those that are chosen, dropped or pasted.

use super::keys::{Listener, focus};
use lockstep_judge::place::MOST_FILES;
use lockstep_session::keys::Focus;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, ClipboardEvent, DataTransfer, DragEvent, Event, HtmlAnchorElement, HtmlCanvasElement,
    HtmlImageElement, Url,
};
use yew::Callback;

fn blob(text: &str, kind: &str) -> Option<Blob> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&text.into()), &options).ok()
}

/// Saves a text as a file.
pub fn save(name: &str, kind: &str, text: &str) {
    if let Some(blob) = blob(text, kind) {
        save_blob(name, &blob);
    }
}

fn save_blob(name: &str, blob: &Blob) {
    let document = web_sys::window().and_then(|w| w.document());
    let link = document.and_then(|d| d.create_element("a").ok()).and_then(|e| e.dyn_into::<HtmlAnchorElement>().ok());
    let (Some(link), Ok(url)) = (link, Url::create_object_url_with_blob(blob)) else { return };
    link.set_href(&url);
    link.set_download(name);
    link.click();
    let _ = Url::revoke_object_url(&url);
}

/// Saves an SVG picture as a PNG file at twice its size, so that it stays sharp on slides.
pub fn save_png(name: String, svg: &str, width: f64, height: f64) {
    let Some(blob) = blob(svg, "image/svg+xml;charset=utf-8") else { return };
    let Ok(url) = Url::create_object_url_with_blob(&blob) else { return };
    wasm_bindgen_futures::spawn_local(async move {
        let _ = paint(&name, &url, width, height).await;
        let _ = Url::revoke_object_url(&url);
    });
}

async fn paint(name: &str, url: &str, width: f64, height: f64) -> Result<(), JsValue> {
    const SCALE: f64 = 2.0;
    let image = HtmlImageElement::new()?;
    image.set_src(url);
    JsFuture::from(image.decode()).await?;
    let document = web_sys::window().and_then(|w| w.document()).ok_or(JsValue::NULL)?;
    let canvas: HtmlCanvasElement = document.create_element("canvas")?.dyn_into()?;
    canvas.set_width((width * SCALE) as u32);
    canvas.set_height((height * SCALE) as u32);
    let context = canvas.get_context("2d")?.ok_or(JsValue::NULL)?;
    let context: web_sys::CanvasRenderingContext2d = context.dyn_into()?;
    context.set_fill_style_str("#ffffff");
    context.fill_rect(0.0, 0.0, width * SCALE, height * SCALE);
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width * SCALE, height * SCALE)?;
    let name = name.to_owned();
    let done = Closure::once_into_js(move |blob: Option<Blob>| {
        if let Some(blob) = blob {
            save_blob(&name, &blob);
        }
    });
    canvas.to_blob(done.unchecked_ref())
}

/// Reads the text of a file, or says why it cannot be read.
pub fn read(file: &web_sys::File, most: usize, done: Callback<Result<String, String>>) {
    if file.size() > most as f64 {
        return done.emit(Err(format!(
            "This file has {} KB; expected at most {} KB.",
            (file.size() / 1024.0).ceil(),
            most / 1024
        )));
    }
    let text = file.text();
    wasm_bindgen_futures::spawn_local(async move {
        let read = JsFuture::from(text).await.ok().and_then(|t| t.as_string());
        done.emit(read.ok_or_else(|| "This file cannot be read as text.".into()));
    });
}

/// Calls back with what the reader drops on the page or pastes into it, unless it goes to a field.
pub fn on_given(most: usize, done: Callback<Result<String, String>>) -> [Listener; 4] {
    let take = move |given: Option<DataTransfer>| {
        let Some(given) = given else { return };
        if let Some(file) = given.files().and_then(|files| files.get(0)) {
            read(&file, most, done.clone());
        } else if let Some(text) = given.get_data("text/plain").ok().filter(|text| !text.trim().is_empty()) {
            done.emit(Ok(text));
        }
    };
    let pasted = {
        let take = take.clone();
        move |event: Event| {
            if focus(&event) != Focus::Field {
                take(event.dyn_into::<ClipboardEvent>().ok().and_then(|e| e.clipboard_data()));
            }
        }
    };
    let dropped = move |event: Event| {
        hovering(false);
        if focus(&event) != Focus::Field {
            event.prevent_default();
            take(event.dyn_into::<DragEvent>().ok().and_then(|e| e.data_transfer()));
        }
    };
    let over = |event: Event| {
        if focus(&event) != Focus::Field {
            event.prevent_default(); // it may be dropped here
            hovering(true);
        }
    };
    let left = |event: Event| {
        let outside = event.dyn_into::<DragEvent>().is_ok_and(|e| e.related_target().is_none());
        if outside {
            hovering(false);
        }
    };
    [
        Listener::on_window("paste", pasted),
        Listener::on_window("drop", dropped),
        Listener::on_window("dragover", over),
        Listener::on_window("dragleave", left),
    ]
}

/// Marks the page while a file hovers over it.
fn hovering(on: bool) {
    let root = web_sys::window().and_then(|w| w.document()).and_then(|d| d.document_element());
    let _ = root.map(|root| root.toggle_attribute_with_force("data-hovering", on));
}

/// A file that was given, with its path in the folder that it came from.
#[derive(Clone, PartialEq, Debug)]
pub struct GivenFile {
    /// The path.
    pub name: String,
    /// The file.
    pub file: web_sys::File,
}

impl GivenFile {
    /// How many bytes it has.
    pub fn size(&self) -> f64 {
        self.file.size()
    }
}

/// Folders are walked until there are too many files; then all are refused.
const TOO_MANY: usize = MOST_FILES + 1;

fn in_list(list: Option<web_sys::FileList>) -> Vec<GivenFile> {
    let Some(list) = list else { return Vec::new() };
    let given = |file: web_sys::File| {
        let path = js_sys::Reflect::get(&file, &"webkitRelativePath".into()).ok().and_then(|path| path.as_string());
        GivenFile { name: path.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name()), file }
    };
    (0..list.length()).filter_map(|at| list.get(at)).map(given).collect()
}

/// The files that were chosen in a field, which is emptied so that they can be chosen again.
pub fn chosen(event: &Event) -> Vec<GivenFile> {
    let input = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok());
    let Some(input) = input else { return Vec::new() };
    let files = in_list(input.files());
    input.set_value("");
    files
}

/// Takes what was dropped, with everything in dropped folders; the page does nothing else with it.
pub fn dropped(event: &DragEvent, done: Callback<Vec<GivenFile>>) {
    event.prevent_default();
    event.stop_propagation();
    hovering(false);
    let Some(given) = event.data_transfer() else { return };
    let items = given.items();
    let entries: Vec<web_sys::FileSystemEntry> =
        (0..items.length()).filter_map(|at| items.get(at)?.webkit_get_as_entry().ok().flatten()).collect();
    if !entries.iter().any(web_sys::FileSystemEntry::is_directory) {
        return done.emit(in_list(given.files()));
    }
    wasm_bindgen_futures::spawn_local(async move {
        let mut files = Vec::new();
        let mut left = entries;
        while let Some(entry) = left.pop() {
            if files.len() >= TOO_MANY {
                break;
            }
            let name = entry.full_path().trim_start_matches('/').to_owned();
            match entry.dyn_into::<web_sys::FileSystemFileEntry>() {
                Ok(entry) => files.extend(file_of(&entry).await.map(|file| GivenFile { name, file })),
                Err(entry) => left.extend(inside(&entry.unchecked_into()).await),
            }
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        done.emit(files);
    });
}

async fn file_of(entry: &web_sys::FileSystemFileEntry) -> Option<web_sys::File> {
    let promise = js_sys::Promise::new(&mut |done, failed| entry.file_with_callback_and_callback(&done, &failed));
    JsFuture::from(promise).await.ok()?.dyn_into().ok()
}

async fn inside(folder: &web_sys::FileSystemDirectoryEntry) -> Vec<web_sys::FileSystemEntry> {
    let reader = folder.create_reader();
    let mut all = Vec::new();
    // a reader gives some entries at a time, and none at the end
    while all.len() < TOO_MANY {
        let promise = js_sys::Promise::new(&mut |done, failed| {
            let _ = reader.read_entries_with_callback_and_callback(&done, &failed);
        });
        let Some(some) = JsFuture::from(promise).await.ok().and_then(|list| list.dyn_into::<js_sys::Array>().ok())
        else {
            break;
        };
        if some.length() == 0 {
            break;
        }
        all.extend(some.iter().map(|entry| entry.unchecked_into::<web_sys::FileSystemEntry>()));
    }
    all
}
