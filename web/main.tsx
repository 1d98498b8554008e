import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/frame.css';
import './kit/theme.ts';
import { render } from 'preact';
import { App } from './app.tsx';
import { bundledRun } from './data/bundle-source.ts';

const root = document.getElementById('page');
if (root !== null) render(<App bundle={await bundledRun(document)} />, root);
