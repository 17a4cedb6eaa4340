// Builds the page into one file, dist/report.html: script and style inline, and a policy that lets nothing else run.
import { createHash } from 'node:crypto';
import { defineConfig } from 'vite';

const MOST_BYTES = 150_000;

function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function onePage() {
  return {
    name: 'one-page',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const parts = Object.values(bundle);
      const page = parts.find((part) => part.fileName.endsWith('.html'));
      const script = parts
        .filter((part) => part.type === 'chunk')
        .map((part) => part.code)
        .join('\n')
        .replaceAll('</script', '<\\/script');
      const style = parts
        .filter((part) => part.fileName.endsWith('.css'))
        .map((part) => part.source)
        .join('\n');
      const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;
      const html = page.source
        .replace(/<script type="module"[^>]*><\/script>/, '')
        .replace(/<link rel="stylesheet"[^>]*>/, '')
        .replace('<!--policy-->', () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
        .replace('<!--style-->', () => `<style>${style}</style>`)
        .replace('<!--script-->', () => `<script>${script}</script>`);
      if (html.split('HEDDLE_DATA').length !== 2) throw new Error('the page has one place for the data');
      if (Buffer.byteLength(html) > MOST_BYTES) throw new Error(`the page has more than ${MOST_BYTES} bytes`);
      for (const name of Object.keys(bundle)) delete bundle[name];
      this.emitFile({ type: 'asset', fileName: 'report.html', source: html });
    },
  };
}

export default defineConfig({
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
  plugins: [onePage()],
  build: {
    target: 'es2020',
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    rollupOptions: { input: 'index.html', output: { format: 'iife' } },
  },
});
