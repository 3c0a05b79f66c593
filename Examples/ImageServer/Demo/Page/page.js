'use strict';
const $ = id => document.getElementById(id);
const settings = { version: '', unsigned: true, presets: [], presetsOnly: false, samples: [],
  ...JSON.parse($('settings').textContent) };

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// What the controls say

const chosen = name => document.querySelector(`input[name=${name}]:checked`).value;
const spaced = gravity => gravity.replace(/^(top|bottom)(?=.)/, '$1 ');
const number = id => $(id).value === '' ? '' : String(Number($(id).value));
const sides = () => number('w') || number('h');

/** Each option: its word, and whether the address needs it. */
const words = {
  w: () => [`w${number('w') || '…'}`, number('w')],
  h: () => [`h${number('h') || '…'}`, number('h')],
  dpr: () => [`dpr${$('dpr').value}`, $('dpr').value !== '1' && sides()],
  mode: () => [chosen('mode'), chosen('mode') !== 'fit'],
  gravity: () => [chosen('gravity') === 'place' ? `g${number('x')}:${number('y')}` : chosen('gravity'),
    chosen('mode') === 'fill' && chosen('gravity') !== 'center'],
  bg: () => [`bg${$('bg').value.slice(1)}`, $('hasbg').checked],
  format: () => [chosen('format'), chosen('format') !== 'auto'],
  q: () => [`q${$('q').value}`, ['auto', 'webp', 'jpeg'].includes(chosen('format')) && $('q').value !== '80'],
  still: () => ['still', $('still').checked],
  strip: () => ['strip', $('strip').checked],
};

function options() {
  if ($('preset').value) return $('preset').value;
  const needed = Object.values(words).map(word => word()).filter(([, isNeeded]) => isNeeded).map(([word]) => word);
  return needed.join(',') || 'auto';
}

/** Of what the page shows: the options, and those of the original where these are served. */
const wanted = () => [options(), ...settings.presetsOnly ? [] : ['original']];
const place = (url = $('url').value.trim()) => btoa(String.fromCharCode(...new TextEncoder().encode(url)))
  .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** The path with these options, and that of the original; of a server that wants signatures those that were pasted. */
function paths() {
  if (settings.unsigned) return wanted().map(text => `/${text}/unsigned/${place()}`);
  return $('signed').value.split(/\s+/).filter(text => text).slice(0, 2)
    .map(text => URL.canParse(text, location.origin) ? new URL(text, location.origin).pathname : '/');
}

/** What keeps the page from asking; empty when nothing does. */
function obstacle() {
  if (!settings.unsigned && paths().length) return '';
  if (!$('url').value.trim()) return 'Give the address of an original.';
  if (!settings.unsigned) return 'Sign the address with the commands above, and paste what they print.';
  if ($('preset').value) return '';
  const mode = chosen('mode'), hasPlace = mode === 'fill' && chosen('gravity') === 'place';
  for (const [id, name] of [['w', 'The width'], ['h', 'The height'], ['x', 'A place'], ['y', 'A place']]) {
    const { validity, min, max } = $(id);
    if (!validity.valid && (hasPlace || id < 'x')) return `${name} takes a whole number from ${min} to ${max}.`;
  }
  return mode !== 'fit' && !(number('w') && number('h')) ? `${mode} needs both a width and a height.` : '';
}

/** Shows the address, and each word beside its control. */
function describe() {
  $('options').hidden = Boolean($('preset').value);
  $('keeps').hidden = chosen('mode') !== 'fill';
  for (const output of document.querySelectorAll('.word')) {
    const [word, isNeeded] = words[output.htmlFor[0]]();
    output.value = word;
    output.classList.toggle('on', Boolean(isNeeded));
  }
  const signature = settings.unsigned ? 'unsigned' : '…signature…', pasted = settings.unsigned ? null : paths()[0];
  $('address').replaceChildren(...pasted ? [location.origin + pasted]
    : [`${location.origin}/`, element('b', { textContent: options() }), `/${signature}/${place()}`]);
  $('address').href = pasted ?? (settings.unsigned ? paths()[0] : '#signing');
  const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;
  const source = quoted($('url').value.trim() || 'https://example.com/photo.jpg');
  $('command').textContent = wanted().map(text => `image-server sign ${text} ${source}`).join('\n');
  for (const button of $('samples').children) button.ariaPressed = String(button.value === $('url').value);
}

// Pictures

const units = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const bytes = count => count < 1e3 ? `${count} bytes`
  : count < 1e6 ? `${units.format(count / 1e3)} kB` : `${units.format(count / 1e6)} MB`;

/** Where an answer came from, by its Cache-Status. */
function origin(field) {
  const detail = /detail="?([\w-]+)/.exec(field)?.[1];
  return detail === 'stale' ? 'an old copy' : /;\s*hit/.test(field) ? `from ${detail ?? 'a cache'}` : 'just made';
}

class Refusal extends Error {}

/** Asks for a picture as an <img> does; once more where it was made, as that is what the next client waits for. */
async function measure(path, signal, making) {
  const start = performance.now();
  const answer = await fetch(path, {
    signal, cache: 'no-store', headers: { Accept: 'image/webp,image/apng,image/*,*/*;q=0.8' },
  });
  const blob = await answer.blob(), time = performance.now() - start;
  const from = origin(answer.headers.get('cache-status') ?? '');
  if (answer.ok && from === 'just made' && !making) return measure(path, signal, time);
  if (!answer.ok) {
    const problem = /json/.test(blob.type) ? JSON.parse(await blob.text()) : {};
    const id = problem.request ?? answer.headers.get('x-request-id');
    throw new Refusal(`${problem.detail ?? 'The server has no such picture.'} (${answer.status}`
      + `${id ? `; the log of the server has more at ${id}` : ''})`);
  }
  const picture = new Image(), url = picture.src = URL.createObjectURL(blob);
  const isShown = await picture.decode().then(() => true, () => false);
  if (!isShown || signal.aborted) URL.revokeObjectURL(url);
  signal.throwIfAborted();
  if (!isShown) throw new Refusal(`This browser shows no ${blob.type || 'file of this type'}.`);
  return { path, url, time, making, from, bytes: blob.size, type: blob.type,
    width: picture.naturalWidth, height: picture.naturalHeight };
}

function row(id, picture, others, absence = '') {
  const [title, size, time] = $(id).children;
  title.lastElementChild.textContent = picture
    ? `${picture.width} × ${picture.height} · ${picture.type} · ${picture.from}` : absence;
  const milliseconds = time => `${units.format(time)} ms`;
  for (const [cell, key, text] of [[size, 'bytes', bytes], [time, 'time', milliseconds]]) {
    cell.replaceChildren();
    if (!picture) continue;
    const bar = element('i');
    bar.style.width = `${100 * picture[key] / Math.max(...others.map(other => other[key]))}%`;
    cell.append(text(picture[key]), bar);
  }
  const making = picture?.making && `${milliseconds(picture.making)} when it was made`;
  if (making) time.append(element('small', { textContent: making }));
}

let shown = [];

/** The one place that writes what was measured. Nothing is left of what it does not get. */
function draw(result, original, sentence = '', absence = '') {
  const both = [result, original].filter(picture => picture);
  for (const old of shown) if (!both.includes(old)) URL.revokeObjectURL(old.url);
  shown = both;
  row('result', result, both);
  row('original', original, both, absence);
  $('saving').replaceChildren();
  if (result && original) {
    const part = Math.round(100 * (1 - result.bytes / original.bytes));
    $('saving').append(element('b', { textContent: `${Math.abs(part)} % ${part < 0 ? 'more' : 'fewer'} bytes`,
      className: part < 0 ? 'more' : '' }), ` ${bytes(result.bytes)} in place of ${bytes(original.bytes)}`);
  }
  $('sentence').textContent = sentence;
  const frame = $('frame');
  frame.hidden = !result;
  frame.classList.toggle('alone', !original);
  for (const [id, picture] of [['after', result], ['before', original]]) {
    if (picture) $(id).src = picture.url; else $(id).removeAttribute('src');
  }
  $('sample').hidden = Boolean(!result || !settings.unsigned || $('preset').value || !sides());
  if (!result) return;
  const ratio = settings.unsigned && !$('preset').value ? Number($('dpr').value) : 1;
  const width = Math.round(result.width / ratio), height = Math.round(result.height / ratio);
  frame.style.aspectRatio = `${result.width} / ${result.height}`;
  frame.style.setProperty('--width', `${width}px`);
  frame.classList.toggle('narrow', width < 200);
  // The original lies below as the options have cut it.
  const isCut = $('preset').value || !settings.unsigned || chosen('mode') === 'fill';
  $('before').style.objectFit = isCut ? 'cover' : 'fill';
  const gravity = spaced(chosen('gravity'));
  $('before').style.objectPosition = gravity === 'place' ? `${number('x')}% ${number('y')}%` : gravity;
  const once = options().split(',').filter(word => !word.startsWith('dpr'));
  const at = list => `${location.origin}/${list.join(',')}/unsigned/${place()}`;
  $('markup').textContent = `<img src="${at(once)}"\n     srcset="${at([...once, 'dpr2'])} 2x"\n     `
    + `width="${width}" height="${height}" alt="">`;
}

let turn = new AbortController(), timer = 0, isGone = false;

/** Asks for what the controls say now. An answer to an earlier wish writes nothing. */
async function show(isAgain) {
  clearTimeout(timer);
  timer = 0;
  turn.abort();
  const { signal } = turn = new AbortController();
  describe();
  $('main').ariaBusy = 'true';
  const [path, ofOriginal] = paths(), sentence = obstacle();
  try {
    if (sentence) throw new Refusal(sentence);
    const result = await measure(path, signal);
    let original = !isAgain && shown[1]?.path === ofOriginal ? shown[1] : null;
    let absence = settings.presetsOnly ? 'no preset of this server' : '';
    // A server that refuses the original shows the result alone.
    if (!original && ofOriginal) original = await measure(ofOriginal, signal).catch(error => {
      if (!(error instanceof Refusal)) throw error;
      absence = error.message;
    });
    signal.throwIfAborted();
    draw(result, original, '', absence);
  } catch (error) {
    if (signal.aborted) return;
    draw(null, null, error instanceof Refusal ? error.message : 'The server did not answer.');
  }
  $('main').ariaBusy = 'false';
  figures();
}

function setGone(value) {
  if (isGone && !value) setTimeout(show);
  $('gone').hidden = !(isGone = value);
}

/** The figures of the server. Nothing is asked while the page is not seen. */
async function figures() {
  if (document.hidden) return;
  try {
    const values = await (await fetch('/figures', { cache: 'no-store' })).json();
    $('figures').replaceChildren(...Object.entries(values).map(([name, value]) => element('div', {},
      element('dt', { textContent: name }),
      element('dd', { textContent: name.endsWith('bytes') ? bytes(value) : value.toLocaleString('en') }))));
    setGone(false);
  } catch {
    setGone(true);
  }
}

// What the visitor does

$('form').addEventListener('input', event => {
  const control = event.target;
  if (control === $('url')) return;  // asked for when it is whole
  if (control.name === 'mode' && control.value !== 'fit') {
    // A box needs both sides; a square shows what is cut off.
    if (!number('w')) $('w').value = number('h') || 320;
    if (!number('h')) $('h').value = number('w');
  }
  if (control === $('bg')) $('hasbg').checked = true;
  if (control === $('x') || control === $('y')) document.querySelector('[value=place]').checked = true;
  if (!settings.unsigned) $('signed').value = '';
  describe();
  turn.abort();
  $('main').ariaBusy = 'true';
  clearTimeout(timer);
  timer = setTimeout(show, control.matches('[type=radio], [type=checkbox], select') ? 0 : 250);
});
$('form').addEventListener('change', event => {
  if (event.target === $('url') && !settings.unsigned) $('signed').value = '';
  if (timer || event.target === $('url')) show();
});
$('form').addEventListener('submit', event => event.preventDefault());
$('signed').addEventListener('input', () => show());
$('again').addEventListener('click', () => show(true));
$('slider').addEventListener('input', () => $('frame').style.setProperty('--at', `${$('slider').value}%`));
document.addEventListener('visibilitychange', figures);

for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    const source = $(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      $('said').textContent = 'Copied.';
    } catch {
      // Only pages of this machine and of TLS may write to the clipboard.
      getSelection().selectAllChildren(source);
      $('said').textContent = document.execCommand('copy') ? 'Copied.' : 'Selected; copy it with the keyboard.';
    }
    button.firstChild.data = $('said').textContent.match(/\w+/)[0];
    setTimeout(() => { button.firstChild.data = 'Copy'; $('said').textContent = ''; }, 1500);
  });
}

// What the server has

$('version').textContent = settings.version;
$('signing').hidden = settings.unsigned;
for (const value of ['topleft', 'top', 'topright', 'left', 'center', 'right', 'bottomleft', 'bottom', 'bottomright']) {
  const name = spaced(value);
  $('gravities').append(element('label', { title: name }, element('input', {
    type: 'radio', name: 'gravity', value, ariaLabel: name, checked: value === 'center' })));
}
$('presets').hidden = !settings.presets.length;
for (const name of [...settings.presetsOnly ? [] : [''], ...settings.presets]) {
  $('preset').append(element('option', { value: name, textContent: name || 'none: the options below' }));
}
for (const sample of settings.samples) {
  $('url').value ||= sample.url;
  const button = element('button', { type: 'button', value: sample.url }, element('img', { alt: '' }), sample.name);
  $('samples').append(button);
  button.addEventListener('click', () => { $('url').value = sample.url; show(); });
}
// The first picture has the server for itself.
show().then(() => {
  for (const button of $('samples').children) {
    button.firstChild.src = `/w320,h200,fill/unsigned/${place(button.value)}`;
  }
});
setInterval(figures, 2000);
