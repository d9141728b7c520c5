//! Styles of a place, which are fetched with its code and not with the first load.

/// Fetches a stylesheet beside the page, once.
pub fn fetch(file: &str) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    if document.get_element_by_id(file).is_some() {
        return;
    }
    if let (Ok(Some(head)), Ok(link)) = (document.query_selector("head"), document.create_element("link")) {
        for (name, value) in [("id", file), ("rel", "stylesheet"), ("href", file)] {
            let _ = link.set_attribute(name, value);
        }
        let _ = head.append_child(&link);
    }
}
