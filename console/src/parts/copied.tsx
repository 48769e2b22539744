import { Button, CopyButton, Group, ScrollArea, Text } from '@mantine/core';
import { Icon } from './icons.js';

interface Props {
  /** A description for screen readers. */
  readonly name: string;
  readonly text: string;
}

/** A text with a button that copies it unchanged. */
export function Copied({ name, text }: Props) {
  return (
    <Group align="flex-start" gap="xs">
      <ScrollArea
        type="auto"
        style={{ flex: '1 1 240px', minWidth: 0, borderRadius: 8 }}
        viewportProps={{ tabIndex: 0, 'aria-label': name, role: 'region' }}
      >
        <Text
          component="pre"
          ff="monospace"
          size="sm"
          m={0}
          p="sm"
          bg="var(--mantine-color-default-hover)"
          className="as-written"
        >
          {text}
        </Text>
      </ScrollArea>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            onClick={copy}
            aria-label={`${copied ? 'Copied' : 'Copy'} ${name}`}
            leftSection={copied ? <Icon name="check" size={16} /> : undefined}
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
