import { Alert, Button, Stack } from '@mantine/core';
import { Copied } from './copied.js';
import { useHeldDialog } from './dialog.js';

interface Props {
  /** A description for screen readers. */
  readonly name: string;
  readonly text: string;
  /** Tells the person in a sentence what to do with the text. */
  readonly advice: string;
  readonly onKept: () => void;
}

/** Shows a text that the service returns only once. A dialog around it closes only by the button. */
export function ShownOnce({ name, text, advice, onKept }: Props) {
  useHeldDialog();
  return (
    <Stack>
      <Alert variant="light" title="It is shown only once">
        {advice}
      </Alert>
      <Copied name={name} text={text} />
      <Button onClick={onKept}>I have kept it</Button>
    </Stack>
  );
}
