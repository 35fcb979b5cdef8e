"""Words of a question that say nothing of which rows, columns or figures are wanted."""

from typing import Final

from models.embedded.words import word_set

UNIMPORTANT: Final = word_set(
    "time ever far currently today's present presently exist exists made make makes figure figures"
    " splits divides i.e"
    " list listed listing tell give given year whole different distinct unique various separate"
    " across over everything everyone got already sit sits sitting right entire start end thing"
    " database db table tables records rows row books system data per ones one instead result"
    " results moment rn atm date total sum please thx located based live lives living stand stands"
    " standing come comes coming came run runs running called know number numbers count overview"
    " breakdown break broken down split grouped group by all only just now still exactly precisely"
    " roughly about file display print return output share belong belongs base many much since"
    " until each every respective respectively individual single company's curious find check"
    " details detail info information question query report up out off of from ourselves ours"
    " registered stored recorded sign signed happened happen happens there's"
    " them via through went reach reached placed exist say says latest date's dates' kind sort"
    " ordered sorted order descending ascending first top board account's both either any anything"
    " anybody anyone fire fired caused produced had has spread distribution distributed look looks"
    " like same again too also enough suffices suffice needed breakdown' overall"
    " altogether together"
    " included including include counted counting regardless"
    " outside carry carried handled transported contain contains contained containing"
    " without except excluding non never yet neither nor haven't minus besides leaving"
    " ignoring excl incl none alone exclusively solely pack"
    " nobody other apart lacking missing vs versus compared pays whichever who's what's how's"
    " we've sell offer offers offering currently-on rather so"
    " packs nowadays everybody whoever whichever person people deal money"
    " warehouse stock busy busiest"
)
