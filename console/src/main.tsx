import '@mantine/core/styles.css';
import './style.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { keepFocus } from './shell/keep-focus.js';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
keepFocus();
createRoot(root).render(<App />);
