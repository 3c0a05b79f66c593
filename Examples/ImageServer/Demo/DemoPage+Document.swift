// SPDX-License-Identifier: MIT
extension DemoPage {
    /// The page. It asks this server alone.
    static let document = """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>image-server</title>
        <link rel="icon" href="data:,">
        <style>
        body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222 }
        fieldset { border: 1px solid #ccc; border-radius: 6px; margin: 0 0 1rem }
        label { margin-right: 1rem; white-space: nowrap }
        input[type=number] { width: 5rem } input#url { width: 100%; box-sizing: border-box }
        code { word-break: break-all; background: #f4f4f4; padding: .1rem .3rem }
        img { max-width: 100%; display: block; margin: .5rem 0;
          background: repeating-conic-gradient(#eee 0 25%, #fff 0 50%) 0 0/16px 16px }
        table { border-collapse: collapse } td, th { padding: .1rem 1rem .1rem 0; text-align: left }
        .error { color: #a00 }
        </style>
        <h1>image-server</h1>
        <fieldset><legend>Original</legend><p id="samples"></p><input id="url" aria-label="Address of the original">
        </fieldset>
        <fieldset id="options"><legend>Options</legend>
        <label>width <input type="number" id="w" min="1" max="8192" value="480"></label>
        <label>height <input type="number" id="h" min="1" max="8192"></label>
        <label><select id="mode"><option>fit<option>fill<option>stretch</select></label>
        <label>gravity <select id="gravity"><option>center<option>top<option>bottom<option>left<option>right</select></label>
        <label>dpr <select id="dpr"><option>1<option>1.5<option>2<option>3</select></label>
        <label>background <input type="color" id="bg" value="#ffffff"> <input type="checkbox" id="hasbg"
          aria-label="Use the background"></label>
        <label><select id="format"><option>auto<option>original<option>jpeg<option>png<option>gif<option>webp</select>
        </label>
        <label>quality <input type="number" id="q" min="1" max="100" value="80"></label>
        <label><input type="checkbox" id="still"> first frame</label>
        </fieldset>
        <p><code id="address"></code></p>
        <table><tr><th><th>bytes<th>ms<th>type<th>cache<tr id="picture"><tr id="original"></table>
        <p class="error" id="error" role="alert"></p>
        <img id="image" alt="The picture that the address names">
        <h2>Figures</h2><table id="figures"></table>
        <script>
        const samples = /*SAMPLES*/[], $ = id => document.getElementById(id);
        const encode = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
          .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
        function address() {
          const words = [];
          for (const side of ['w', 'h']) if ($(side).value) words.push(side + $(side).value);
          if ($('dpr').value !== '1' && words.length) words.push('dpr' + $('dpr').value);
          if ($('mode').value !== 'fit') words.push($('mode').value);
          if ($('mode').value === 'fill' && $('gravity').value !== 'center') words.push($('gravity').value);
          if ($('hasbg').checked) words.push('bg' + $('bg').value.slice(1));
          words.push($('format').value, 'q' + $('q').value);
          if ($('still').checked) words.push('still');
          return `/${words.join(',')}/unsigned/${encode($('url').value)}`;
        }
        async function measure(row, title, path) {
          const start = performance.now(), answer = await fetch(path, { cache: 'no-store' });
          const blob = await answer.blob(), milliseconds = performance.now() - start;
          const cells = [title, blob.size, milliseconds.toFixed(1), blob.type, answer.headers.get('cache-status') || ''];
          $(row).replaceChildren(...cells.map((text, index) => {
            const cell = document.createElement(index ? 'td' : 'th');
            cell.textContent = text;
            return cell;
          }));
          if (!answer.ok) throw new Error(JSON.parse(await blob.text()).detail);
          return blob;
        }
        let number = 0, shown = '';
        async function show() {
          const mine = ++number, path = address();
          $('address').textContent = location.origin + path;
          $('error').textContent = '';
          try {
            const blob = await measure('picture', 'picture', path);
            if (mine !== number) return;
            URL.revokeObjectURL(shown);
            $('image').src = shown = URL.createObjectURL(blob);
            await measure('original', 'original', `/original/unsigned/${encode($('url').value)}`);
          } catch (error) {
            if (mine !== number) return;
            $('error').textContent = error.message;
            $('image').removeAttribute('src');
          }
          figures();
        }
        async function figures() {
          const values = await (await fetch('/figures')).json();
          $('figures').replaceChildren(...Object.entries(values).map(entry => {
            const row = document.createElement('tr');
            row.append(...entry.map(text => {
              const cell = document.createElement('td');
              cell.textContent = text;
              return cell;
            }));
            return row;
          }));
        }
        for (const sample of samples) {
          const button = document.createElement('button');
          button.textContent = sample.name;
          button.onclick = () => { $('url').value = sample.url; show(); };
          $('samples').append(button, ' ');
        }
        $('options').oninput = $('url').onchange = show;
        if (samples.length) { $('url').value = samples[0].url; show(); }
        setInterval(figures, 2000);
        </script>
        </html>
        """
}
