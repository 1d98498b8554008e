import { CadreError } from '../../core/error.ts';
import type { FilePart } from '../../core/prompt/message.ts';
import type { ResourceScopes } from '../../core/tool/resource-scope.ts';
import { convertPage } from './convert-page.ts';
import { decodeBody } from './decode-body.ts';
import type { WebResource } from './fetch-resource.ts';
import { readJson } from '../../core/read-json.ts';

/** Form in which a model sees a body. */
type PageForm = 'html' | 'text' | 'file' | 'refused';

const fileTypes: ReadonlySet<string> = new Set(['application/pdf', 'image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const textTypes = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|toml|javascript|x-ndjson|ld\+json|x-sh|sql)\b)/;

/** A page in a form a model can read: text, or a file. */
export interface ReadPage {
  readonly title: string;
  /** Markdown for HTML, else the text as received. */
  readonly text: string;
  readonly file?: FilePart;
  /** Remarks about the page, one sentence each. */
  readonly notes: readonly string[];
}

/** Options for reading a page. */
export interface ReadOptions {
  /** Reads the whole page instead of its main text. */
  readonly whole: boolean;
  /** Time limit for the conversion to Markdown, in milliseconds. */
  readonly timeoutMs: number;
  /** Present when HTML must be converted in a sandbox. */
  readonly sandbox: ResourceScopes | undefined;
}

/**
 * Converts a fetched resource to a readable form.
 *
 * @throws CadreError `TOOL_FAILED` for an unreadable type, naming the readable ones; `DEPENDENCY_MISSING` without the packages for HTML
 */
export async function readPage(resource: WebResource, options: ReadOptions, signal: AbortSignal): Promise<ReadPage> {
  const mediaType = mediaTypeOf(resource.headers['content-type'], resource.body);
  const size = `${resource.body.length} bytes`;
  switch (formOf(mediaType)) {
    case 'html':
      return await readHtml(resource, options, signal);
    case 'text': {
      const { text } = decodeBody(resource.body, resource.headers['content-type'] ?? '');
      return { title: '', text: mediaType.endsWith('json') ? indented(text) : text, notes: cutNotes(resource) };
    }
    case 'file': {
      if (resource.truncated)
        throw new CadreError(
          'TOOL_FAILED',
          `${resource.url} is a file of type ${mediaType} larger than ${size}, which is not read in part.`,
        );
      const data = { type: 'data', data: resource.body.toString('base64') } as const;
      return {
        title: '',
        text: '',
        file: { type: 'file', mediaType, data },
        notes: [`a file of type ${mediaType}, ${size}, follows`],
      };
    }
    case 'refused':
      throw new CadreError(
        'TOOL_FAILED',
        `${resource.url} is of type ${mediaType}, which cannot be read; HTML, text, JSON, XML, PDF and images can.`,
      );
  }
}

async function readHtml(resource: WebResource, options: ReadOptions, signal: AbortSignal): Promise<ReadPage> {
  const { whole, timeoutMs, sandbox } = options;
  const { text: html } = decodeBody(resource.body, resource.headers['content-type'] ?? '');
  const page = await convertPage({ html, url: resource.url, whole }, { timeoutMs, signal, sandbox });
  const notes = [
    ...(page.byline === undefined ? [] : [`by ${page.byline}`]),
    ...(page.published === undefined ? [] : [`published ${page.published}`]),
    ...(page.mainTextOnly ? ['main text only; ask for the whole page with "whole": true'] : []),
    ...cutNotes(resource),
  ];
  return { title: page.title, text: page.markdown, notes };
}

function cutNotes({ truncated, body }: WebResource): readonly string[] {
  return truncated ? [`the page is larger than ${body.length} bytes; the rest was not read`] : [];
}

function indented(text: string): string {
  try {
    return JSON.stringify(readJson(text), null, 2);
  } catch {
    // Truncated, JSON lines, or not JSON: returned as received.
    return text;
  }
}

/** Returns the media type of a body, without its parameters; guessed from its first bytes when the server's type is missing or generic. */
function mediaTypeOf(contentType: string | undefined, body: Uint8Array): string {
  const given = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (/^[\w.+-]+\/[\w.+-]+$/.test(given) && given !== 'application/octet-stream' && given !== 'unknown/unknown') return given;
  const start = new TextDecoder('latin1').decode(body.subarray(0, 1_024));
  if (start.startsWith('%PDF-')) return 'application/pdf';
  if (/^\s*(?:<!doctype html|<html|<head|<body)/i.test(start)) return 'text/html';
  return start.includes('\0') ? 'application/octet-stream' : 'text/plain';
}

/** Returns the form for a media type. */
function formOf(mediaType: string): PageForm {
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return 'html';
  if (fileTypes.has(mediaType)) return 'file';
  return textTypes.test(mediaType) ? 'text' : 'refused';
}
