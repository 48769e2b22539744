/*
 * The build renders the sign-in form into the page, so people can use it before its script runs. This file reads what
 * they did until then.
 */

const ACTS = ['submit', 'passkey', 'company'] as const;
type Act = (typeof ACTS)[number];

const FIELDS = ['username', 'password'] as const;
const CONTROLS = 'input, button, a';

class Early {
  username = '';
  password = '';
  private focused: { readonly control: string; readonly start: number | null; readonly end: number | null } | undefined;
  private act: Act | undefined;

  /** Must run in the same task as the re-rendering of the page: text that is typed in between would be lost. */
  read(root: HTMLElement): void {
    for (const name of FIELDS) this[name] = root.querySelector<HTMLInputElement>(`input[name=${name}]`)?.value ?? '';
    const { activeElement: active } = document;
    if (active instanceof HTMLElement && root.contains(active)) {
      const { selectionStart: start, selectionEnd: end } =
        active instanceof HTMLInputElement ? active : { selectionStart: null, selectionEnd: null };
      this.focused = { control: nameOf(active), start, end };
    }
    const { early } = document.documentElement.dataset;
    this.act = ACTS.find((act) => act === early);
    delete document.documentElement.dataset.early;
  }

  /**
   * Restores the focus and the selection, and clears everything that was read. @returns the action that the person
   * started, if any
   */
  goOn(): Act | undefined {
    const { act, focused } = this;
    const controls = [...document.querySelectorAll<HTMLElement>(CONTROLS)];
    const control = controls.find((each) => nameOf(each) === focused?.control);
    control?.focus();
    // A field for an address supports no selection.
    if (control instanceof HTMLInputElement && control.type !== 'email')
      control.setSelectionRange(focused?.start ?? null, focused?.end ?? null);
    [this.username, this.password, this.focused, this.act] = ['', '', undefined, undefined];
    return act;
  }
}

/** Returns a name that identifies the control before and after the re-rendering. */
function nameOf(control: HTMLElement): string {
  return control.getAttribute('name') ?? control.getAttribute('aria-label') ?? control.textContent;
}

export const early = new Early();
