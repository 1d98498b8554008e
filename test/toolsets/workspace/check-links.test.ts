import { describe, expect, it } from 'vitest';
import { linksToolset } from '../../../src/toolsets/workspace/links-toolset.ts';
import { hostilePaths, makeJail } from '../../files/hostile-paths.ts';
import { makeFolder, putFile } from '../../files/temp-folder.ts';
import { openWorkspace, type WorkspaceTools } from './call-workspace.ts';

const openLinks = (folder: string): WorkspaceTools => openWorkspace(folder, {}, 'r1', linksToolset);

describe('[A1.8.broken-links] check_links', () => {
  const page = `<!doctype html><!-- <a href="gone.html"> -->
<link href="style.css" rel=stylesheet><img src='img/a%20b.png' srcset="img/a.png 1x, img/c.png 2x">
<a href="about.html#team">us</a> <a href=gone.html?x=1>gone</a> <a href="#top">top</a> <a href="#here">here</a>
<a href="#nowhere">no</a> <h2 id="here">Here</h2> <a href="https://example.org/x">out</a> <a href="mailto:a@b.c">m</a>
<a href="sub/">sub</a> <a href="/style.css">root</a> <a href="empty/">empty</a> <a href="../../etc/passwd">up</a> <a href=".env">env</a>`;

  it('names the local links of a page that lead nowhere, with their lines, and asks no server', async () => {
    const folder = await makeFolder({
      'site.html': page,
      'style.css': '',
      'about.html': '',
      'img/a.png': '',
      'img/a b.png': '',
      'sub/index.html': '',
      'empty/x.txt': '',
      '.env': 'KEY=1',
    });
    const { text, fails } = openLinks(folder);
    expect((await text('check_links', { path: 'site.html' })).split('\n')).toEqual([
      'site.html: 14 local links, 2 others not looked at; 6 lead nowhere:',
      'site.html:2: "img/c.png" does not exist',
      'site.html:3: "gone.html?x=1" does not exist',
      'site.html:4: "#nowhere" is no id in this file',
      'site.html:5: "empty/" is a folder without index.html',
      'site.html:5: "../../etc/passwd" leads out of the workspace, or to what may not be read',
      'site.html:5: ".env" leads out of the workspace, or to what may not be read',
    ]);
    await putFile(folder, 'good.html', '<a href="style.css">');
    expect(await text('check_links', { path: 'good.html' })).toBe('good.html: 1 local links; all of them lead somewhere');
    expect((await fails('check_links', { path: 'img' })).message).toContain('is no file');
  });

  it('takes no longer for a page that is made to take long', async () => {
    const { text } = openLinks(await makeFolder({ 'a.html': `${' href '.repeat(100_000)}${'<!--'.repeat(100_000)}` }));
    expect(await text('check_links', { path: 'a.html' })).toContain('0 local links');
  });

  it('reads nothing outside, whatever the path', async () => {
    const jail = await makeJail();
    const { fails } = openLinks(jail.root);
    for (const [, path] of hostilePaths)
      expect((await fails('check_links', { path: path(jail) })).code).toMatch(/PATH_REFUSED|TOOL_/);
  });
});
