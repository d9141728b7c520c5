// Says why the page cannot start, or has stopped, and what to do then. It is a plain script in old
// syntax: it has to run where the page's own program does not.

(function () {
  'use strict';
  var PATIENCE = 8000; // milliseconds until it says that loading takes long

  /** The paragraph that stands in the page until the program has started. */
  function boot() {
    return document.getElementById('boot');
  }

  /** Shows a sentence instead of the page, with a button to load it again. */
  function say(sentence, why) {
    var place = boot();
    if (!place) return;
    var reload = document.createElement('button');
    reload.type = 'button';
    reload.className = 'button';
    reload.textContent = 'Reload';
    reload.onclick = function () {
      location.reload();
    };
    place.setAttribute('role', 'alert');
    place.textContent = sentence + (why ? ' (' + why + ')' : '') + ' ';
    place.appendChild(reload);
  }

  function cannotStart(reason, why) {
    clearTimeout(late);
    say('Lockstep cannot start: ' + reason, why);
  }

  /** What an error of the program means. */
  function judge(error) {
    var wasm = window.WebAssembly;
    var why = error ? String(error).slice(0, 200) : '';
    if (!wasm) {
      cannotStart('this browser does not run WebAssembly, or a setting forbids it. Use a current Firefox, Chrome, Edge or Safari.');
    } else if (!boot()) {
      if (error instanceof wasm.RuntimeError) stopped(why);
    } else if (error instanceof wasm.CompileError || error instanceof wasm.LinkError) {
      cannotStart('its program is damaged, or this browser is too old for it. Reload; if that does not help, update the browser.', why);
    } else if (error instanceof SyntaxError) {
      cannotStart('a script of the page is damaged, or this browser is too old for it. Reload; if that does not help, update the browser.', why);
    } else if (error instanceof RangeError) {
      cannotStart('the browser has no memory for its program. Close other tabs, then reload.', why);
    } else if (error instanceof TypeError || /failed to fetch/i.test(why)) {
      // what browsers and wasm-bindgen throw where a download fails
      cannotStart('its program could not be downloaded. Check the connection, then reload.', why);
    } else {
      cannotStart('there is an error in its program. Reload; if that does not help, open the page without what follows the # in its address.', why);
    }
  }

  /** The program has ended after it had started: nothing on the page works any more. */
  function stopped(why) {
    if (document.querySelector('.stopped')) return;
    var alert = document.createElement('div');
    alert.className = 'stopped';
    alert.setAttribute('role', 'alert');
    alert.id = 'boot';
    document.body.appendChild(alert);
    say('Lockstep has stopped because of an error in its program. Reload the page to continue.', why);
  }

  var late = setTimeout(function () {
    say('Lockstep is still loading. On a slow connection, wait; otherwise reload the page.');
  }, PATIENCE);

  addEventListener('unhandledrejection', function (event) {
    judge(event.reason);
  });
  addEventListener(
    'error',
    function (event) {
      var from = event.target;
      if (from && from.tagName === 'SCRIPT') {
        cannotStart('a script of the page could not be downloaded. Check the connection, then reload.', from.getAttribute('src'));
      } else if (event.error) judge(event.error);
    },
    true,
  );
  addEventListener('DOMContentLoaded', function () {
    if (!window.WebAssembly) judge();
  });
})();
