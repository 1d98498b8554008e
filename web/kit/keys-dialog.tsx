import { Dialog } from './dialog.tsx';
import { boundKeys } from './keys.ts';

/** Labels of keys with long names. */
const names: Readonly<Record<string, string>> = {
  Escape: 'esc',
  Space: 'space',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Home: 'home',
  End: 'end',
};

/** List of the keys that work here. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {boundKeys().map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{names[key] ?? key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>enter</kbd>
          </dt>
          <dd>open the focused item</dd>
        </div>
      </dl>
    </Dialog>
  );
}
