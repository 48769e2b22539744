import { Anchor } from '@mantine/core';

interface Props {
  /** A guide and a heading of it, such as `alerts#kinds`. A test checks that they exist. */
  readonly guide: string;
  /** The subject, for screen readers. */
  readonly about: string;
}

/** A link to the guides, in a tab of its own, so that a form keeps its content. */
export function HelpLink({ guide, about }: Props) {
  return (
    <Anchor href={`/console/help/${guide}`} target="_blank" rel="noreferrer" size="sm" aria-label={`Help: ${about}`}>
      Help
    </Anchor>
  );
}
