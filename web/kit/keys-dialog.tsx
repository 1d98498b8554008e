import { Dialog } from './dialog.tsx';
import { boundKeys } from './keys.ts';

/** The keys that do something here. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {boundKeys().map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key === 'Escape' ? 'esc' : key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>enter</kbd>
          </dt>
          <dd>open what has the focus</dd>
        </div>
      </dl>
    </Dialog>
  );
}
