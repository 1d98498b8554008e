import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/frame.css';
import './kit/theme.ts';
import { render } from 'preact';
import { App } from './app.tsx';
import { bundledRun } from './data/bundle-source.ts';

const root = document.getElementById('page');
// No top-level await: the script of turns imports from this one, and must not wait for the whole page.
if (root !== null) {
  void bundledRun(document).then((bundle) => {
    // Replaces the loading text.
    root.replaceChildren();
    render(<App bundle={bundle} />, root);
  });
}
