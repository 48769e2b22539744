/*
 * The sign-in page is there before its program: the build draws its form into the page. Here is what somebody did with it until then.
 */

type Act = 'submit' | 'passkey';

const FIELDS = ['username', 'password'] as const;
const CONTROLS = 'input, button, a';

class Early {
  username = '';
  password = '';
  private focused: { readonly control: string; readonly start: number | null; readonly end: number | null } | undefined;
  private act: Act | undefined;

  /** To be asked in one go with drawing the page anew: what is typed in between would be lost. */
  read(root: HTMLElement): void {
    for (const name of FIELDS) this[name] = root.querySelector<HTMLInputElement>(`input[name=${name}]`)?.value ?? '';
    const { activeElement: active } = document;
    if (active instanceof HTMLElement && root.contains(active)) {
      const { selectionStart: start, selectionEnd: end } =
        active instanceof HTMLInputElement ? active : { selectionStart: null, selectionEnd: null };
      this.focused = { control: nameOf(active), start, end };
    }
    const { early } = document.documentElement.dataset;
    if (early === 'submit' || early === 'passkey') this.act = early;
    delete document.documentElement.dataset.early;
  }

  /** Forgets it all, and puts the person back to where they were. @returns what they wanted, if anything */
  goOn(): Act | undefined {
    const { act, focused } = this;
    const controls = [...document.querySelectorAll<HTMLElement>(CONTROLS)];
    const control = controls.find((each) => nameOf(each) === focused?.control);
    control?.focus();
    // An address has no selection of its own.
    if (control instanceof HTMLInputElement && control.type !== 'email')
      control.setSelectionRange(focused?.start ?? null, focused?.end ?? null);
    [this.username, this.password, this.focused, this.act] = ['', '', undefined, undefined];
    return act;
  }
}

/** The same before and afterwards, and no other control's. */
function nameOf(control: HTMLElement): string {
  return control.getAttribute('name') ?? control.getAttribute('aria-label') ?? control.textContent;
}

export const early = new Early();
