import { render } from 'preact';
import { App } from './app.tsx';
import { bundledRun } from './data/bundle-source.ts';
import './styles/tokens.css';
import './styles/base.css';

const root = document.getElementById('page');
if (root !== null) render(<App bundle={await bundledRun(document)} />, root);
