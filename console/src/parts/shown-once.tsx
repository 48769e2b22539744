import { Alert, Button, Stack } from '@mantine/core';
import { Copied } from './copied.js';

interface Props {
  /** What it is, for whoever cannot see it. */
  readonly name: string;
  readonly text: string;
  /** What to do with it, in a sentence. */
  readonly advice: string;
  readonly onKept: () => void;
}

/** What the service tells once and never again. */
export function ShownOnce({ name, text, advice, onKept }: Props) {
  return (
    <Stack>
      <Alert variant="light" title="It is shown this once">
        {advice}
      </Alert>
      <Copied name={name} text={text} />
      <Button onClick={onKept}>I have kept it</Button>
    </Stack>
  );
}
