import './eql.css';
import { Paper, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { type Completion, completionAt, type Suggestion } from './completion.js';
import type { Fault } from './fault.js';
import { marked, tokensOf } from './tokens.js';

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onRun: () => void;
  /** Undefined until it is loaded. */
  readonly language: Schemas['LanguageResponse'] | undefined;
  readonly fault: Fault | undefined;
  /** The id of the element that describes the fault. */
  readonly faultId: string;
}

const LINE_PX = 21;
const PADDING_PX = 12;

/**
 * A text area with syntax colours, completion and a mark where the query is wrong. Tab moves to the next control unless
 * a list is open.
 */
export function Editor({ value, onChange, onRun, language, fault, faultId }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const overlay = useRef<HTMLPreElement>(null);
  const listId = useId();
  const [completion, setCompletion] = useState<Completion | null>(null);
  const [chosen, setChosen] = useState(0);
  const keywords = useMemo(() => new Set(language?.keywords), [language]);
  const parts = useMemo(() => {
    const tokens = tokensOf(value, keywords);
    // A fault at the end of the text marks the last character.
    const from = fault === undefined ? -1 : Math.min(fault.from, value.length - 1);
    return marked(tokens, from, fault === undefined ? -1 : Math.max(from + 1, fault.to));
  }, [value, keywords, fault]);
  const suggestions = completion?.suggestions ?? [];
  const isOpen = completion !== null && suggestions.length > 0;

  const suggest = (text: string, isAsked: boolean) => {
    const place = area.current?.selectionStart;
    setChosen(0);
    setCompletion(language === undefined || place === undefined ? null : completionAt(text, place, language, isAsked));
  };

  const take = ({ text, about }: Suggestion) => {
    const element = area.current;
    if (element === null || completion === null) return;
    element.focus();
    element.setSelectionRange(completion.from, element.selectionStart);
    // Inserts the text as if it were typed.
    // oxlint-disable-next-line typescript/no-deprecated -- nothing else leaves it to the browser's undo
    document.execCommand('insertText', false, about.startsWith('function') ? `${text}(` : `${text} `);
    setCompletion(null);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey } = event;
    const act = actOf({ key, isCommand: ctrlKey || metaKey, isOpen });
    if (act === undefined) return;
    event.preventDefault();
    if (act === 'run') {
      setCompletion(null);
      onRun();
    } else if (act === 'suggest') suggest(value, true);
    else if (act === 'close') setCompletion(null);
    else if (act === 'take') {
      const suggestion = suggestions[chosen];
      if (suggestion !== undefined) take(suggestion);
    } else setChosen((chosen + act + suggestions.length) % suggestions.length);
  };

  const scroll = () => {
    if (overlay.current === null || area.current === null) return;
    overlay.current.style.transform = `translate(${-area.current.scrollLeft}px, ${-area.current.scrollTop}px)`;
  };

  const lines = value.split('\n');
  const height = Math.max(4, Math.min(16, lines.length + 1)) * LINE_PX + 2 * PADDING_PX;
  const option = (index: number) => `${listId}-${index}`;

  return (
    <div className="editor" style={{ height }}>
      <div className="editor-clip" aria-hidden="true">
        <pre ref={overlay} className="editor-text">
          {parts.map(({ kind, text, isWrong }, index) => (
            <span key={index} className={[kind && `eql-${kind}`, isWrong && 'eql-wrong'].filter(Boolean).join(' ')}>
              {text}
            </span>
          ))}
        </pre>
      </div>
      <textarea
        ref={area}
        className="editor-text"
        aria-label="Query"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={isOpen ? option(chosen) : undefined}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : faultId}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        wrap="off"
        maxLength={10_000}
        placeholder="any where log.status >= 500"
        value={value}
        onChange={(event) => {
          onChange(event.currentTarget.value);
          suggest(event.currentTarget.value, false);
        }}
        onKeyDown={onKeyDown}
        onScroll={scroll}
        onBlur={() => setCompletion(null)}
        onClick={() => setCompletion(null)}
      />
      {isOpen && (
        <Suggestions
          id={listId}
          place={placeIn(value, completion.from)}
          suggestions={suggestions}
          chosen={chosen}
          optionId={option}
          onTake={take}
        />
      )}
    </div>
  );
}

type Act = 'run' | 'suggest' | 'close' | 'take' | 1 | -1;

interface Pressed {
  readonly key: string;
  readonly isCommand: boolean;
  readonly isOpen: boolean;
}

function actOf({ key, isCommand, isOpen }: Pressed): Act | undefined {
  if (key === 'Enter' && isCommand) return 'run';
  if (key === ' ' && isCommand) return 'suggest';
  if (!isOpen) return undefined;
  if (key === 'Escape') return 'close';
  if (key === 'Enter' || key === 'Tab') return 'take';
  if (key === 'ArrowDown') return 1;
  return key === 'ArrowUp' ? -1 : undefined;
}

function placeIn(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: before.at(-1)?.length ?? 0 };
}

interface SuggestionsProps {
  readonly id: string;
  readonly place: { readonly line: number; readonly column: number };
  readonly suggestions: readonly Suggestion[];
  readonly chosen: number;
  readonly optionId: (index: number) => string;
  readonly onTake: (suggestion: Suggestion) => void;
}

/** Shows the suggestions below the current line. The text area keeps the focus and handles the keys. */
function Suggestions({ id, place, suggestions, chosen, optionId, onTake }: SuggestionsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const { description } = suggestions[chosen] ?? {};
  return (
    <Paper
      withBorder
      shadow="md"
      className="editor-list"
      // Keeps the focus in the text area.
      onMouseDown={(event) => event.preventDefault()}
      style={{
        top: PADDING_PX + place.line * LINE_PX,
        left: `max(0px, min(${PADDING_PX}px + ${place.column}ch, 100% - 280px))`,
      }}
    >
      <div ref={list} id={id} role="listbox" tabIndex={0} aria-label="Suggestions" className="editor-options">
        {suggestions.map((suggestion, index) => (
          <div
            key={`${suggestion.about} ${suggestion.text}`}
            id={optionId(index)}
            role="option"
            aria-selected={index === chosen}
            className="editor-option"
            onMouseDown={() => onTake(suggestion)}
          >
            <span>{suggestion.text}</span>
            <Text span size="xs" c="dimmed">
              {suggestion.about}
            </Text>
          </div>
        ))}
      </div>
      {description !== undefined && (
        <Text size="xs" c="dimmed" p={8} className="editor-about">
          {description}
        </Text>
      )}
    </Paper>
  );
}
