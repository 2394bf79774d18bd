import { escapeHtml } from './html.ts';

/**
 * Light colouring of code: comments, strings, names and a few words, by one expression per language. A wrong colour harms
 * nobody, so this stays far from being a parser.
 */
const STRING = String.raw`(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')`;
const NUMBER = String.raw`(?<number>\b\d[\d_]*(?:\.\d+)?\b)`;

/** One for all the languages of the examples: their strings, numbers and main words look alike. */
const PROGRAM = new RegExp(
  String.raw`(?<comment>\/\/.*$)|${STRING}|(?<template>\x60[^\x60]*\x60)|\b(?<word>import|from|const|let|function|return|if|else|await|async|new|throw|export|for|of|in|def|array|string)\b|${NUMBER}`,
  'gm',
);

const GRAMMARS: Record<string, RegExp> = {
  json: new RegExp(
    String.raw`(?<name>"(?:\\.|[^"\\\n])*")(?=\s*:)|${STRING}|(?<number>-?\b\d+(?:\.\d+)?\b)|\b(?<word>true|false|null)\b`,
    'g',
  ),
  sh: new RegExp(
    String.raw`(?<comment>(?<=^|\s)#.*$)|${STRING}|(?<name>\$\{?\w+\}?|^\w+(?==))|(?<=^|[|(]\s*)(?<word>curl|printf|openssl|node|npm|export|cut|tar|mkdir|createdb|pg_dump|pg_restore)\b`,
    'gm',
  ),
  js: PROGRAM,
  ts: PROGRAM,
  python: PROGRAM,
  php: PROGRAM,
  http: /(?<name>^[A-Za-z-]+)(?=: )/gm,
};

export function highlight(code: string, language: string): string {
  const grammar = GRAMMARS[language];
  if (!grammar) return escapeHtml(code);
  let html = '';
  let end = 0;
  for (const match of code.matchAll(grammar)) {
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    html += escapeHtml(code.slice(end, match.index));
    html += `<span class="${kind === 'template' ? 'string' : kind}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(end));
}
