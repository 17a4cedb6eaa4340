// The page in Chromium, each control used. Pages are written by `heddle report --html`, whose program HEDDLE names.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { deadlock, finding, long, many, report, step } from './reports.mjs';

const HEDDLE = process.env.HEDDLE;
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const folder = mkdtempSync(join(tmpdir(), 'heddle-page-'));
let browser;
let written = 0;

before(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(data, ...options) {
  written += 1;
  const json = join(folder, `${written}.json`);
  const html = join(folder, `${written}.html`);
  writeFileSync(json, typeof data === 'string' || Buffer.isBuffer(data) ? data : JSON.stringify(data));
  const done = spawnSync(HEDDLE, ['report', json, '--html', html, ...options], { encoding: 'utf8', cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  assert.ok([0, 1, 3].includes(done.status), done.stderr);
  return html;
}

// A page that fails the test when anything in it goes wrong.
async function open(html, { hash = '', width = 1280, scheme = 'light', height = 860 } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
  page.setDefaultTimeout(60_000);
  page.troubles = [];
  page.on('pageerror', (error) => page.troubles.push(error.message));
  page.on('console', (message) => message.type() === 'error' && page.troubles.push(message.text()));
  page.on('dialog', (dialog) => {
    page.troubles.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => request.url().startsWith('file:') || page.troubles.push(`request ${request.url()}`));
  await page.goto(`file://${html}${hash}`);
  await page.waitForSelector('.page');
  return page;
}

async function close(page) {
  assert.deepEqual(page.troubles, []);
  await page.close();
}

const text = (page, selector) => page.locator(selector).innerText();
const count = (page, selector) => page.locator(selector).count();

test('the code of the page is at most 150 kB', () => {
  const html = readFileSync(write(report([])));
  assert.ok(html.length < 150_000, `${html.length} bytes`);
});

test('hostile text is shown and never runs', async () => {
  const evil = '</script><script>window.hacked = 1; alert(1)</script><img src=x onerror="window.hacked=2"> "\' & \u0001\u001b[2J \u202eabc\u202c \u2028 `';
  const source = join(folder, 'evil.c');
  writeFileSync(source, Buffer.concat([Buffer.from('int a;\n/* </script><script>window.hacked = 3</script> \u202e */\n'), Buffer.from([0xff, 0xc0, 0x80, 0x0a])]));
  const bad = finding(1, { message: evil, why: evil, help: evil, replay: evil, output: [evil], tests: [evil], status_note: evil });
  bad.threads[0].name = evil;
  bad.steps[0] = step('T1', 'write', evil, [source, 2], { site: 1, row: 5, recorded: 1, code: evil, locks: [evil] });
  bad.steps[1].file = evil;
  const page = await open(write(report([bad], { program: evil, coverage: { ...report([]).coverage, undecided: evil, bound: evil } })), { hash: '#F1/5' });
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await count(page, 'script'), 2);
  assert.equal(await count(page, 'img'), 0);
  assert.match(await text(page, 'h1'), /<script>window\.hacked = 1/);
  assert.match(await text(page, 'h1'), /⟨U\+202E⟩abc/);
  assert.match(await text(page, 'h1'), /␛\[2J/);
  assert.match(await text(page, '.source'), /<script>window\.hacked = 3<\/script> ⟨U\+202E⟩/);
  assert.match(await text(page, '.source'), /\ufffd/);
  await close(page);
});

test('a story comes first, then the diagram with its source', async () => {
  const page = await open(write(report([finding(1)])));
  const story = await text(page, '.story');
  assert.match(story, /Thread T1 worker writes cache at module_1\.cpp:21, with no lock held\./);
  assert.match(story, /Thread T2 flusher reads cache at module_1\.cpp:30, holding mutex\./);
  assert.match(story, /What to change: Hold mutex around both\./);
  const tops = await page.evaluate(() => ['.story', '.walk'].map((s) => document.querySelector(s).getBoundingClientRect().top));
  assert.ok(tops[0] < tops[1]);
  assert.equal(await count(page, '.cell'), 6);
  assert.equal(await count(page, '.cell.site'), 2);
  assert.equal(await count(page, '.race-link'), 1, 'the two sides of a race are tied in red');
  assert.equal(await count(page, '.edge'), 1, 'one arrow, none between the two sides');
  assert.equal(await count(page, '.bar'), 2, 'each thread holds the mutex once');
  await close(page);
});

test('a deadlock shows its cycle dashed', async () => {
  const page = await open(write(report([deadlock(1)])));
  assert.equal(await count(page, '.edge.waits'), 2);
  const dashes = await page.locator('.edge.waits').first().evaluate((edge) => getComputedStyle(edge).strokeDasharray);
  assert.notEqual(dashes, 'none');
  assert.match(await text(page, '.story'), /Thread T1 worker waits for b at bank\.cpp:12, holding a\./);
  await close(page);
});

test('filters, groups and counts', async () => {
  const page = await open(write(report(many(500))));
  assert.equal(await text(page, '.list-count'), '450 of 500 findings');
  await page.getByRole('button', { name: /^deadlock/ }).click();
  assert.equal(await text(page, '.list-count'), '100 of 500 findings');
  await page.getByRole('button', { name: /^proved/ }).click();
  const both = many(500).filter((f) => f.kind === 'deadlock' && f.status === 'proved' && !f.suppressed).length;
  assert.equal(await text(page, '.list-count'), `${both} of 500 findings`);
  await page.getByRole('button', { name: /^deadlock/ }).click();
  await page.getByRole('button', { name: /^proved/ }).click();
  await page.getByLabel('also show').check();
  assert.equal(await text(page, '.list-count'), '500 findings');
  await page.getByLabel('Filter findings by text').fill('cache123 module_23');
  assert.equal(await text(page, '.list-count'), '1 of 500 findings');
  await page.getByLabel('Filter findings by text').fill('');
  await page.getByLabel('File', { exact: true }).selectOption('/srv/src/module_3.cpp');
  assert.equal(await text(page, '.list-count'), '20 of 500 findings');
  await page.getByLabel('File', { exact: true }).selectOption('');
  await page.getByLabel('Group by').selectOption('kind');
  const kinds = ['data-race', 'lock-order', 'deadlock', 'misuse', 'atomicity'];
  const top = await page.locator('.group span:first-child').first().innerText();
  assert.ok(kinds.includes(top), top);
  await page.locator('#findings').evaluate((list) => { list.scrollTop = 100 * 66 - 200; });
  await page.locator('.group', { hasNotText: top }).first().waitFor({ state: 'attached' });
  await page.locator('#findings').evaluate((list) => { list.scrollTop = 0; });
  await page.getByLabel('Group by').selectOption('none');
  assert.equal(await count(page, '.group'), 0);
  await page.getByLabel('Filter findings by text').fill('nothing is called so');
  assert.match(await text(page, '.scroll'), /No finding passes these filters/);
  await close(page);
});

test('what is new since the baseline is marked', async () => {
  const baseline = join(folder, 'baseline');
  writeFileSync(baseline, `${'1'.padStart(16, '0')}  known\n`);
  const page = await open(write(report([finding(1), finding(2)]), '--baseline', baseline));
  assert.equal(await text(page, '.verdict'), '1 finding (1 confirmed)');
  assert.equal(await count(page, '.row .mark.new'), 1);
  assert.match(await text(page, '.row'), /F2/);
  await close(page);
});

test('keys, slider, links', async () => {
  const html = write(report([finding(1), finding(2), finding(3)]));
  const page = await open(html);
  await page.locator('#findings').focus();
  await page.keyboard.press('End');
  assert.match(page.url(), /#F[123]$/);
  await page.keyboard.press('Home');
  const first = /#(F\d)/.exec(page.url())[1];
  await page.keyboard.press('j');
  assert.doesNotMatch(page.url(), new RegExp(`#${first}$`));
  await page.keyboard.press('k');
  assert.equal(await text(page, '.walk-count'), 'step 5 of 6');
  await page.keyboard.press('n');
  assert.match(page.url(), /\/6$/);
  await page.keyboard.press('p');
  await page.keyboard.press('p');
  assert.equal(await text(page, '.walk-count'), 'step 4 of 6');
  await page.getByRole('slider').fill('2');
  assert.match(page.url(), /\/2$/);
  assert.match(await text(page, '.step-title'), /unlock\(mutex\)/);
  await page.getByRole('button', { name: 'Next step' }).click();
  await page.getByRole('button', { name: 'Previous step' }).click();
  const diagram = page.getByRole('listbox', { name: 'Steps of the witness' });
  await diagram.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await text(page, '.walk-count'), 'step 4 of 6');
  const active = await diagram.getAttribute('aria-activedescendant');
  assert.equal(await page.locator(`[id="${active}"]`).getAttribute('aria-selected'), 'true');
  await page.locator('.cell').first().click();
  assert.equal(await text(page, '.walk-count'), 'step 1 of 6');
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'filter-text');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await count(page, '[role=dialog]'), 0);
  await close(page);
  const linked = await open(html, { hash: '#F2/3' });
  assert.match(await text(linked, '.badges'), /F2/);
  assert.equal(await text(linked, '.walk-count'), 'step 3 of 6');
  await linked.evaluate(() => { location.hash = '#F3/1'; });
  await linked.locator('.badges', { hasText: 'F3' }).waitFor();
  await close(linked);
});

test('the recorded run beside the witness marks what moved', async () => {
  const page = await open(write(report([finding(1)])));
  assert.equal(await count(page, '.diagram'), 1);
  await page.getByLabel('recorded run beside it').check();
  assert.equal(await count(page, '.diagram'), 2);
  const order = await page.locator('.diagram').nth(1).locator('.code').evaluateAll((all) => all.map((one) => one.firstChild.textContent));
  assert.deepEqual(order, ['cache = next;', 'begin', 'lock(mutex)', 'unlock(mutex)', 'lock(mutex)', 'use(cache)']);
  assert.ok((await count(page, '.cell.moved')) > 0);
  await close(page);
});

test('commands are copied', async () => {
  const page = await open(write(report([finding(1)])));
  const context = page.context();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy the command: replay under gdb' }).click();
  await page.getByText('copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'heddle replay F1 --gdb');
  await close(page);
});

test('both themes, by the system and by hand, with enough contrast', async () => {
  const ratio = (page) =>
    page.evaluate(() => {
      const light = (color) => {
        const [r, g, b] = color.match(/[\d.]+/g).map((v) => Number(v) / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const backOf = (element) => {
        for (let e = element; e; e = e.parentElement) {
          const color = getComputedStyle(e).backgroundColor;
          if (color !== 'rgba(0, 0, 0, 0)') return color;
        }
        return 'rgb(255, 255, 255)';
      };
      let least = 21;
      for (const element of document.querySelectorAll('.verdict, .covered, .row-message, .row-place, .row-top, .story p, .badges span, .legend, .step-place, .line-text, .walk-count, button')) {
        if (element.disabled) continue;
        const a = light(getComputedStyle(element).color);
        const b = light(backOf(element));
        least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
      }
      return least;
    });
  for (const scheme of ['light', 'dark']) {
    const page = await open(write(report([finding(1), finding(2, { status: 'proved' }), finding(3, { status: 'possible' })])), { scheme });
    assert.ok((await ratio(page)) >= 4.5, `${scheme}: ${await ratio(page)}`);
    await page.keyboard.press('t');
    await page.keyboard.press('t');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await close(page);
  }
});

test('at 400 pixels nothing is cut off, and one goes from the list to a finding and back', async () => {
  const page = await open(write(report([finding(1), finding(2)])), { width: 400 });
  assert.ok(await page.locator('.list').isVisible());
  await page.locator('.row').first().click();
  assert.ok(await page.locator('.detail').isVisible());
  assert.ok(!(await page.locator('.list').isVisible()));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector('main').scrollWidth <= innerWidth));
  await page.getByRole('button', { name: 'all findings' }).click();
  assert.ok(await page.locator('.list').isVisible());
  await close(page);
});

test('2,000 findings and 10,000 steps: only what is on the screen is drawn', async () => {
  const page = await open(write(report([long(1, 10_000), ...many(2000).slice(1)])), { hash: '#F1/5000' });
  const drawn = async () => ({ cells: await count(page, '.cell'), rows: await count(page, '.row'), nodes: await page.evaluate(() => document.querySelectorAll('*').length) });
  const bounded = ({ cells, rows, nodes }) => assert.ok(cells > 5 && cells < 80 && rows > 3 && rows < 60 && nodes < 2500, JSON.stringify({ cells, rows, nodes }));
  bounded(await drawn());
  assert.equal(await text(page, '.walk-count'), 'step 5000 of 10000');
  const diagram = page.getByRole('listbox', { name: 'Steps of the witness' });
  await diagram.focus();
  await page.keyboard.press('End');
  assert.equal(await text(page, '.walk-count'), 'step 10000 of 10000');
  await page.locator('.cell.selected').waitFor();
  bounded(await drawn());
  await page.evaluate(() => { document.querySelector('.scroll').scrollTop = 60_000; });
  await page.locator('.row').nth(3).waitFor({ state: 'attached' });
  bounded(await drawn());
  const took = await page.evaluate(async () => {
    const box = document.querySelector('.diagram');
    const frames = [];
    for (let i = 0; i < 30; ++i) {
      const start = performance.now();
      box.scrollTop = i * 9000;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      frames.push(performance.now() - start);
    }
    return frames.sort((a, b) => a - b)[15];
  });
  console.log(`# a scroll by 9,000 pixels is drawn after ${took.toFixed(0)} ms (median of 30)`);
  await close(page);
});

test('print draws all rows of the finding and no list', async () => {
  const page = await open(write(report([long(1, 300)])));
  await page.emulateMedia({ media: 'print' });
  await page.locator('.cell').nth(299).waitFor({ state: 'attached' });
  assert.equal(await count(page, '.cell'), 300);
  assert.ok(!(await page.locator('.list').isVisible()));
  assert.ok(await page.locator('.story').isVisible());
  await close(page);
});

test('every control has a name, and roles are there', async () => {
  const page = await open(write(report([finding(1)])));
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll('button, input, select, a[href], [role=listbox], [role=option]')]
      .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length || e.title))
      .map((e) => e.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(nameless, []);
  for (const role of ['navigation', 'main', 'listbox', 'slider']) assert.ok((await page.getByRole(role).count()) > 0, role);
  assert.match(await page.locator('.cell.site').first().getAttribute('aria-label'), /Step 5 of 6, thread T1 worker, cache = next;, module_1\.cpp:21, no lock held, part of the finding, not ordered with T2/);
  await close(page);
});

test('a suite lists its tests, and findings the tests that show them', async () => {
  const tests = [
    { name: 'Cache.Get', result: 'findings', findings: ['F1'], complete: true, seconds: 1.5 },
    { name: 'Cache.Put', result: 'undecided', reason: 'the run was cut', findings: [], complete: false, seconds: 60 },
  ];
  const page = await open(write(report([finding(1, { tests: ['Cache.Get'] })], { tests })));
  await page.getByText('2 tests').click();
  assert.match(await text(page, '.suite'), /Cache\.Put\s+undecided: the run was cut/);
  await page.getByRole('link', { name: 'F1' }).click();
  assert.match(await text(page, '.story'), /Shown by 1 test: Cache\.Get/);
  await close(page);
});

test('an empty report says what that covers', async () => {
  const page = await open(write(report([], { coverage: { ...report([]).coverage, complete: true, scope: 'all interleavings explored', bound: '' } })));
  assert.equal(await text(page, '.verdict'), 'no findings');
  assert.match(await text(page, '.overview'), /Complete: all interleavings explored\./);
  await close(page);
  const open_ = await open(write(report([], { coverage: { ...report([]).coverage, undecided: 'the run was killed' } })));
  assert.equal(await text(open_, '.verdict'), 'not decided');
  await close(open_);
});

// What another verb writes to a page.
function writeBy(code, ...words) {
  written += 1;
  const html = join(folder, `${written}.html`);
  const done = spawnSync(HEDDLE, [...words, '--html', html], { encoding: 'utf8' });
  assert.equal(done.status, code, done.stderr);
  return html;
}

test('a counterexample of a CSP script has a column for each process', async () => {
  const page = await open(writeBy(1, 'csp', '../examples/csp/two_locks.csp'));
  assert.match(await text(page, '.verdict'), /^\d+ assertions?: \d+ passed, 1 failed, 0 not decided$/);
  assert.match(await text(page, '.badges'), /V1\s*counterexample\s*failed/);
  assert.ok((await count(page, '.heads .thread')) >= 2);
  assert.ok((await count(page, '.cell')) > 0);
  assert.equal(await count(page, '.fingerprint'), 0);
  await page.keyboard.press('n');
  assert.match(page.url(), /#V1\/2$/);
  await close(page);
});

test('executions of a litmus test show what each read takes', async () => {
  const tests = join(folder, 'litmus');
  assert.equal(spawnSync(HEDDLE, ['litmus', 'gen', '--arch', 'X86_64', '-o', tests, 'PodWR', 'Fre', 'PodWR', 'Fre']).status, 0);
  const page = await open(writeBy(0, 'litmus', 'sim', '--model', 'x86tso', tests));
  assert.match(await text(page, '.verdict'), /^\d+ executions of \d+ tests?$/);
  assert.match(await text(page, '.badges'), /execution\s*allowed/);
  assert.deepEqual(await page.locator('.heads .thread').allTextContents(), ['init', 'P0', 'P1']);
  assert.ok((await count(page, '.relation-rf')) >= 2);
  assert.ok((await count(page, '.relation-fr')) >= 1);
  assert.match(await page.locator('.legend').innerText(), /rf\s+the read takes its value from this write/);
  await close(page);
});

test('streams of a monitor over time, with the values of a moment', async () => {
  const page = await open(writeBy(0, 'monitor', '../examples/monitor/slow.tessla', '../examples/monitor/slow.trace'));
  assert.ok((await count(page, '.stream')) >= 2);
  await page.getByLabel('Time', { exact: true }).focus();
  await page.keyboard.press('End');
  const last = await page.locator('.streams .walk-count').innerText();
  assert.match(last, /^time (\d+) \(\d+ to \1\)$/);
  assert.match(await page.locator('.stream', { hasText: 'slow_ones' }).locator('.stream-value').innerText(), /^\d+$/);
  assert.ok((await count(page, '.stream circle')) > 0);
  await page.setViewportSize({ width: 400, height: 800 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 400, `${wide} pixels`);
  await close(page);
});
