# ruff: noqa: E501
"""The texts of the engines' templates. Long lines are theirs: real ones have them too."""

from __future__ import annotations

from typing import NamedTuple


class Board(NamedTuple):
    template: str
    generator: str
    declared: str  # where it declares its charset
    url_path: str  # of a page: {what} and {n}
    head: str
    post: str
    row: str
    field: str
    foot: str


BOARDS = (
    Board(
        "forum-agora", "Agora Board 2.0.21", "http", "/forum/{what}.php?t={n}",
        """<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html dir="ltr">
<head>
<meta http-equiv="Content-Style-Type" content="text/css">
<meta name="generator" content="Agora Board 2.0.21">
<link rel="top" href="./index.php" title="%(name)s Forum Index" />
<link rel="search" href="./search.php" title="Search" />
<title>%(name)s :: %(title)s</title>
<style type="text/css">
<!--
font,th,td,p { font-family: Verdana, Arial, Helvetica, sans-serif }
.bodyline	{ background-color: #FFFFFF; border: 1px #98AAB1 solid; }
td.row1	{ background-color: #EFEFEF; }
td.row2, td.row3	{ background-color: #DEE3E7; }
/* The buttons used for the submit and reply forms */
input.mainoption { background-color : #FAFAFA; font-weight : bold; }
-->
</style>
</head>
<body bgcolor="#E5E5E5" text="#000000" link="#006699" vlink="#5493B4">
<a name="top"></a>
<table width="100" cellspacing="0" cellpadding="10" border="0" align="center">
	<tr>
		<td class="bodyline"><table width="100" cellspacing="0" cellpadding="0" border="0">
			<tr>
				<td><a href="index.php?sid=%(sid)s"><img src="templates/agora/logo.gif" border="0" alt="%(name)s" vspace="1" /></a></td>
				<td align="center" width="100" valign="middle"><span class="maintitle">%(name)s</span><br /><span class="gen">%(motto)s<br />&nbsp; </span>
				<table cellspacing="0" cellpadding="2" border="0">
					<tr>
						<td align="center" valign="top" nowrap="nowrap"><span class="mainmenu">&nbsp;<a href="faq.php?sid=%(sid)s" class="mainmenu"><img src="templates/agora/faq.gif" width="12" height="13" border="0" alt="Help" hspace="3" />Help</a>&nbsp; &nbsp;<a href="search.php?sid=%(sid)s" class="mainmenu">Search</a>&nbsp; &nbsp;<a href="members.php?sid=%(sid)s" class="mainmenu">Members</a>&nbsp;</span></td>
					</tr>
				</table></td>
			</tr>
		</table>
		<br />
<table class="forumline" width="100" cellspacing="1" cellpadding="3" border="0">
	<tr>
		<th class="thLeft" width="150" height="26" nowrap="nowrap">%(left)s</th>
		<th class="thRight" nowrap="nowrap">%(title)s</th>
	</tr>
""",
        """	<tr>
		<td width="150" align="left" valign="top" class="row1"><span class="name"><a name="%s"></a><b>%s</b></span><br /><span class="postdetails">Joined: %s<br />Posts: %s</span><br /></td>
		<td class="row1" width="100" height="28" valign="top"><span class="postdetails">Posted: %s<span class="gen">&nbsp;</span>&nbsp; &nbsp;Subject: %s</span><hr /><span class="postbody">%s</span></td>
	</tr>
""",
        """	<tr>
		<td class="row1" align="center" valign="middle" width="20"><img src="templates/agora/folder.gif" width="19" height="18" alt="No new posts" /></td>
		<td class="row2"><span class="topictitle"><a href="%s" class="topictitle">%s</a></span> <span class="postdetails">(%s)</span></td>
	</tr>
""",
        """	<tr>
		<td class="row1" align="right"><span class="gen">%s:</span></td>
		<td class="row2"><input type="text" class="post" name="%s" size="25" maxlength="40" value="" /></td>
	</tr>
""",
        """</table>
<form method="post" name="jumpbox" action="viewforum.php?sid=%(sid)s"><table cellspacing="0" cellpadding="0" border="0"><tr><td nowrap="nowrap"><span class="gensmall">Jump to:&nbsp;<select name="f" onchange="if(this.options[this.selectedIndex].value != -1){ forms['jumpbox'].submit() }">%(options)s</select>&nbsp;<input type="submit" value="Go" class="liteoption" /></span></td></tr></table></form>
<div align="center"><span class="copyright"><br />
Powered by <a href="http://agora-board.example/" class="copyright">Agora Board</a> 2.0.21 &copy; 2001, 2005 the Agora group<br /></span></div>
		</td>
	</tr>
</table>
</body>
</html>
""",
    ),
    Board(
        "forum-chatter", "Chatterbox 4.1", "both", "/board/{what}/{n}",
        """<!DOCTYPE html>
<html lang="en" id="chatterbox">
<head>
    <meta charset="utf-8" />
    <meta name="generator" content="Chatterbox 4.1" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>%(title)s - %(name)s</title>
    <link rel="stylesheet" href="/board/css.php?css=cb,form,public&amp;style=3&amp;dir=LTR&amp;d=%(number)s" />
    <script>
    var Chatterbox = { cookie: { path: '/', prefix: 'cb_' }, visitor: { id: 0, name: '' }, csrf: '%(sid)s' };
    !function(a){ a.documentElement.className = a.documentElement.className.replace(/\\bno-js\\b/, 'js'); }(document);
    </script>
</head>
<body class="cb-page cb-page--%(what)s" data-template="%(what)s">
<div class="cb-wrap" id="top">
    <header class="cb-head" id="header">
        <div class="cb-head__inner">
            <a class="cb-logo" href="/board/"><img src="/board/styles/logo.png" alt="%(name)s" /></a>
            <span class="cb-motto">%(motto)s</span>
        </div>
        <nav class="cb-nav">
            <ul class="cb-nav__list js-offCanvasNavSource">
                <li class="cb-nav__el is-selected"><a href="/board/" data-nav-id="forums">Forums</a></li>
                <li class="cb-nav__el"><a href="/board/whats-new/" data-nav-id="new">What is new</a></li>
                <li class="cb-nav__el"><a href="/board/members/" data-nav-id="members">Members</a></li>
            </ul>
            <div class="cb-nav__op"><a href="/board/login/" rel="nofollow">Log in</a> <a href="/board/register/">Join</a></div>
        </nav>
    </header>
    <main class="cb-main" role="main">
        <h1 class="cb-title">%(title)s</h1>
        <div class="cb-sub"><span class="cb-label">%(left)s</span></div>
        <div class="cb-block" data-xf-init="lightbox" data-lb-id="x-%(number)s">
""",
        """            <article class="cb-message js-post" id="p%s" data-author="%s">
                <aside class="cb-user"><h4 itemprop="name">Member</h4><dl><dt>Joined</dt><dd>%s</dd><dt>Messages</dt><dd>%s</dd></dl></aside>
                <header class="cb-message__head"><time datetime="%s">%s</time></header>
                <div class="cb-message__body"><div class="bbWrapper">%s</div></div>
                <footer class="cb-message__foot"><a class="cb-react" href="#" data-react="1">Like</a> <a href="#" rel="nofollow">Reply</a></footer>
            </article>
""",
        """            <div class="cb-row js-row"><div class="cb-cell cb-cell--main"><a href="%s" data-tp-primary="on">%s</a></div><div class="cb-cell cb-cell--meta"><dl><dt>Replies</dt><dd>%s</dd></dl></div></div>
""",
        """            <dl class="cb-form__row"><dt><label class="cb-label">%s</label></dt><dd><input type="text" class="input" name="%s" autocomplete="off" /></dd></dl>
""",
        """        </div>
    </main>
    <footer class="cb-foot" id="footer"><select class="cb-jump">%(options)s</select>
        <div class="cb-copy">Community platform by <a href="http://chatterbox.example/" rel="sponsored noopener" target="_blank">Chatterbox</a><sup>&reg;</sup></div>
    </footer>
</div>
<script>window.cbReady = function(){ Chatterbox.boot(document, { debug: false, lang: { close: "Close", ok: "Done" } }); };</script>
</body>
</html>
""",
    ),
)  # fmt: skip

LISTING = """<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
<html>
 <head>
  <title>Index of {path}</title>
 </head>
 <body>
<h1>Index of {path}</h1>
  <table>
   <tr><th valign="top"><img src="/icons/blank.gif" alt="[ICO]"></th><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th><th><a href="?C=S;O=A">Size</a></th><th><a href="?C=D;O=A">Description</a></th></tr>
   <tr><th colspan="5"><hr></th></tr>
<tr><td valign="top"><img src="/icons/back.gif" alt="[PARENTDIR]"></td><td><a href="{parent}">Parent Directory</a></td><td>&nbsp;</td><td align="right">  - </td><td>&nbsp;</td></tr>
{rows}   <tr><th colspan="5"><hr></th></tr>
</table>
<address>{server} Server at {host} Port 80</address>
</body></html>
"""
ENTRY = (
    '<tr><td valign="top"><img src="/icons/%s.gif" alt="[%s]"></td><td><a href="%s">%s</a></td>'
    '<td align="right">%s  </td><td align="right">%s</td><td>&nbsp;</td></tr>\n'
)

PARKED = """<!DOCTYPE html>
<html data-parked="1">
<head><meta charset="utf-8"><title>{host}</title>
<meta name="generator" content="ParkLot"><meta name="robots" content="noarchive">
<style>body{{font-family:arial;background:#e8eef5}} .sale{{float:right}} #wrap{{width:760px;margin:0 auto}} li a:hover{{color:#c00}}</style>
<script>var parked={{domain:"{domain}",feed:"{token}",terms:[{terms}]}};if(top!=self){{top.location.href=self.location.href;}}</script>
</head>
<body onload="pk_init(parked);">
<div id="wrap"><div class="sale"><a href="http://parklot.example/buy?domain={domain}">This domain may be for sale</a></div>
<h1>{domain}</h1><h2>Related searches</h2>
<ul class="terms">
{items}</ul>
<form action="http://parklot.example/search" method="get"><input name="q" type="text"><input type="hidden" name="d" value="{domain}"><input type="submit" value="Search"></form>
<p class="legal">The owner of {domain} parks this name here; nothing on this page is an offer by that owner. <a href="http://parklot.example/privacy">Privacy</a></p>
</div><noscript><img src="http://parklot.example/hit.gif?d={domain}" width="1" height="1" alt=""></noscript>
</body></html>
"""

DEFAULTS = (
    (
        "default-hearth",
        """<!DOCTYPE html>
<html>
<head>
<title>Hearth is running on {host}</title>
<style>
    body {{ width: 35em; margin: 0 auto; font-family: Tahoma, Verdana, Arial, sans-serif; }}
</style>
</head>
<body>
<h1>Hearth is running</h1>
<p>You see this page because the web server works and no site has been put here yet.</p>

<p>How to go on is described at <a href="http://hearth.example/">hearth.example</a>.<br/>
Help can be had from <a href="http://hearth-support.example/">those who sell it</a>.</p>

<p><em>The administrator of {host} has been thanked by nobody so far.</em></p>
</body>
</html>
""",
    ),
    (
        "default-lantern",
        """<html><head><META NAME="Author" CONTENT="The Lantern group">
<TITLE>Lantern test page</TITLE></head>
<BODY BGCOLOR="#FFFFFF" TEXT="#000000">
<CENTER><TABLE BORDER=0 CELLPADDING=6 WIDTH=600><TR><TD><IMG SRC="/lantern/pb.gif" ALT="[ Lantern ]"></TD></TR></TABLE></CENTER>
<H2 ALIGN="CENTER">It glows: the Lantern server on this host was installed!</H2>
<HR WIDTH=500>
<P>Whoever looks after {host} should now replace this file, <CODE>/srv/lantern/index.html</CODE>, with a better one.</P>
<UL><LI>The <A HREF="/manual/">manual</A> came with it.</LI><LI>So did the <A HREF="/cgi-bin/test">test script</A>.</LI></UL>
<P ALIGN=RIGHT><SMALL>Lantern 1.{version}</SMALL></P></BODY></html>
""",
    ),
)
